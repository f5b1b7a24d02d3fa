/**
 * A connection to Cassandra or ScyllaDB with the options the stores rely on: quorum in the local data center, so that
 * what is acknowledged survives any one node and is read by whoever reads next; statements repeated on another node
 * when one fails, which all of ours allow.
 */
import { auth, Client, type ClientOptions, policies, types } from 'cassandra-driver';
import { limits } from '../base/limits.ts';
import { refreshInTurn } from './refresh-in-turn.ts';
import { shutReplacedHosts } from './shut-replaced-hosts.ts';
import { tellWhenUnavailable } from './store-unavailable.ts';

export interface CassandraOptions {
  /** `host:port` or `host`. */
  readonly contactPoints: readonly string[];
  readonly localDataCenter: string;
  /** Null: none yet, for migrations. */
  readonly keyspace: string | null;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly tls?: NonNullable<ClientOptions['sslOptions']>;
}

/** Rejects when no node answers, or the keyspace is not there. The caller closes it by `shutdown`. */
export async function connectCassandra(options: CassandraOptions): Promise<Client> {
  const { contactPoints, localDataCenter, keyspace, credentials, tls } = options;
  const client = new Client({
    contactPoints: [...contactPoints],
    localDataCenter,
    ...(keyspace === null ? {} : { keyspace }),
    ...(credentials
      ? { authProvider: new auth.PlainTextAuthProvider(credentials.username, credentials.password) }
      : {}),
    ...(tls ? { sslOptions: tls } : {}),
    queryOptions: { prepare: true, isIdempotent: true, consistency: types.consistencies.localQuorum },
    protocolOptions: { maxSchemaAgreementWaitSeconds: limits.schemaAgreementSeconds },
    policies: {
      reconnection: new policies.reconnection.ExponentialReconnectionPolicy(
        limits.storeReconnectMs.first,
        limits.storeReconnectMs.last,
      ),
    },
    socketOptions: { readTimeout: limits.storeRequestMs, tcpNoDelay: true },
    // Nothing is told to anyone about who uses it.
    monitorReporting: { enabled: false },
  });
  refreshInTurn(client);
  shutReplacedHosts(client);
  tellWhenUnavailable(client);
  try {
    await client.connect();
  } catch (error) {
    await client.shutdown().catch(() => {});
    throw error;
  }
  return client;
}
