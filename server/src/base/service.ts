/** A part with a life of its own. Parts are stopped in the reverse order of their start, each within its share of `limits.stopMs`. */
export interface Service {
  stop(): Promise<void>;
}
