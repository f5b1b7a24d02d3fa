/**
 * Port: hints between processes, as bytes on named channels.
 *
 * Delivery: at most once, in the order of one publisher's calls. Nothing is kept for who is not there.
 * Loss is told, never silent: a subscriber is told by `missed`, a publisher by the rejection of `publish`. The publisher
 *   must then tell the receivers to look for themselves, once it can again (`live-publisher.ts`).
 */

export interface BusMessage {
  readonly channel: string;
  readonly bytes: Uint8Array;
}

/** All calls are synchronous, and must not throw. */
export interface BusListener {
  message(bytes: Uint8Array): void;
  /**
   * Messages of the channel may have been lost, or not yet have been heard: called whenever they arrive again, the
   * first time included, and before any that then comes.
   */
  missed(): void;
}

export interface Bus {
  /** Resolves when all were handed over. Rejects, within `limits.busWaitMs`, if any may not have been. */
  publish(messages: readonly BusMessage[]): Promise<void>;
  /** Hears a channel from the next `missed` on, as soon as the bus can be reached. Answers how to stop. */
  subscribe(channel: string, listener: BusListener): () => void;
  /** Whether all subscriptions work: while not, readers must look into the inbox by themselves from time to time. */
  isConnected(): boolean;
  close(): void;
}
