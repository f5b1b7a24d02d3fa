/**
 * Port: hints between processes, as bytes on named channels.
 *
 * Delivery: at most once, in the order of one publisher's calls per channel. Nothing is kept for who is not there.
 * Loss is told, never silent: `missed` is called whenever messages to a subscription may have been lost (the connection
 *   broke and is there again). A publisher learns of its own loss by the rejection of `publish`, and must then tell the
 *   receivers to look for themselves (`gap` messages) once it can again.
 */

export interface BusMessage {
  readonly channel: string;
  readonly bytes: Uint8Array;
}

export interface BusListener {
  /** Called synchronously for each message, in order; must not throw. */
  message(bytes: Uint8Array): void;
  /** Messages may have been lost since the last one; called when the subscription works again. */
  missed(): void;
}

export interface Bus {
  /** Resolves when all were handed over. Rejects, within `limits.busWaitMs`, if any may not have been. */
  publish(messages: readonly BusMessage[]): Promise<void>;
  /** Resolves when messages arrive. Answers how to stop. */
  subscribe(channel: string, listener: BusListener): Promise<() => Promise<void>>;
  /** Whether hints arrive now: while not, readers must look into the inbox by themselves from time to time. */
  isConnected(): boolean;
  close(): Promise<void>;
}
