/**
 * What a service is to these scripts: the servers it consists of, each a process of its own with its files in a folder of
 * its own, and the variable by which tests and the service under test learn its address.
 */
export const serviceNames = ['kafka', 'cassandra', 'redis', 'postgres'] as const;

export type ServiceName = (typeof serviceNames)[number];

/** Something the reader can do something about, said in a sentence: a missing program, a port in use, a failed start. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Whom to run it as; this user if absent. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface Server {
  /** Unique: `kafka-2`. */
  readonly name: string;
  /** Its data, settings, log and pid file. */
  readonly folder: string;
  readonly port: number;
  /** The line of its log that says it serves; together with the open port that is what ready means. */
  readonly readyLine: RegExp;
  /** The signal that stops it soon and in good order. */
  readonly stopSignal: NodeJS.Signals;
  /** Writes its settings and, the first time, lays out its data. Rejects with ServiceError. */
  prepare(): Promise<Command>;
}

export interface Service {
  readonly name: ServiceName;
  readonly servers: readonly Server[];
  readonly variable: string;
  readonly address: string;
}

/** Where services put their files and which ports they take. */
export interface Placement {
  /** Data, a folder per server. */
  readonly dataDir: string;
  /** Downloads. */
  readonly cacheDir: string;
  readonly ports: Readonly<Record<ServiceName, number>>;
  /** One or three. */
  readonly brokers: number;
  /** Further ports of a lone broker, for clients behind a proxy: clients are always sent on to an advertised port. */
  readonly kafkaLinks?: readonly KafkaLink[];
}

export interface KafkaLink {
  readonly port: number;
  /** Where its clients are told to connect. */
  readonly advertised: number;
}
