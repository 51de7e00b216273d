/** Time, as pacing needs it: given from outside, so that tests do not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once, `ms` from now; calling what it gives calls it off. */
  after(ms: number, action: () => void): () => void;
}

export const wallClock: Clock = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
