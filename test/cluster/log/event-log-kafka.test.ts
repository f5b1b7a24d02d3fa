/** The log on a real Kafka: the port's contract. */
import { eventLogContract } from '../../../server/src/log/event-log.contract.ts';
import type { MessageProducer } from '../../../server/src/log/kafka/produce-groups.ts';
import { KafkaWorld } from './kafka-world.ts';

eventLogContract('kafka log', async () => {
  const world = await KafkaWorld.open();
  const clients = world.clients();
  let fails = 0;
  const producer: MessageProducer = {
    send: (options) => (fails-- > 0 ? Promise.reject(new Error('told to fail')) : clients.producer.send(options)),
  };
  const parts = { producer, tailing: clients.tailing, reading: clients.reading, admin: clients.admin };
  let log = world.log({ clients: parts });
  return {
    log,
    reopen: async () => {
      await log.close();
      log = world.log();
      return log;
    },
    failOnce: () => {
      fails = 1;
    },
    refusal: 'CARILLON_LOG_UNAVAILABLE',
    dispose: () => world.dispose(),
  };
});
