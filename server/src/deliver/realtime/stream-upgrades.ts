/** From an HTTP upgrade request to a connection of the gateway. Decides before it upgrades (V33). */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Server, WebSocketServer } from 'ws';
import type { Gateway } from './gateway.ts';
import { streamProtocol } from './stream-credential.ts';
import { attachConnection, StreamSocket, WebSocketTransport } from './websocket-transport.ts';

export interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly query: URLSearchParams;
}

export class StreamUpgrades {
  readonly #gateway: Gateway;
  readonly #upgrades: Server<typeof StreamSocket>;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#upgrades = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      skipUTF8Validation: false,
      // Twice what is allowed, so that a frame somewhat too large is answered by us; beyond that `ws` stops reading.
      maxPayload: 2 * gateway.limits.clientFrameBytesMax,
      WebSocket: StreamSocket,
      handleProtocols: (offered) => (offered.has(streamProtocol) ? streamProtocol : false),
    });
  }

  /**
   * Throws CarillonError as `Gateway.admit` does, with nothing written to the socket yet. A handshake that is no proper
   * WebSocket is answered with 400 by `ws`.
   */
  async upgrade({ request, socket, head, query }: Handshake): Promise<void> {
    const admission = await this.#gateway.admit(request.headers, query, true);
    this.#upgrades.handleUpgrade(request, socket, head, (ws) => {
      const transport = new WebSocketTransport(ws, socket);
      this.#gateway.accept(transport, admission, (connection) => {
        attachConnection(ws, connection, this.#gateway.limits.clientFrameBytesMax);
      });
    });
  }
}
