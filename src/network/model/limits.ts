/** Times in milliseconds. */
export interface ModelLimits {
  /** Requests to providers; more wait. */
  readonly atOnce: number;
  /** Until connected with a provider. */
  readonly connectMs: number;
  /** How soon a connection that is used again breaks if the provider had closed it before. */
  readonly staleMs: number;
  /** Without a byte from the provider, or with a client that does not read. */
  readonly idleMs: number;
  /** For the whole body of a request to arrive. */
  readonly bodyMs: number;
  /** How long an answer is read after its client went away, to learn what it used. */
  readonly readOnMs: number;
  /** Of a request's body. */
  readonly maxBytes: number;
  /** Of the bodies of all requests of an attempt that have no answer yet. */
  readonly maxBytesTogether: number;
}

const mebibyte = 1024 * 1024;

/** Anthropic accepts requests of 32 MB. */
export const modelLimits: ModelLimits = {
  atOnce: 16,
  connectMs: 30_000,
  staleMs: 2_000,
  idleMs: 10 * 60_000,
  bodyMs: 60_000,
  readOnMs: 30_000,
  maxBytes: 32 * mebibyte,
  maxBytesTogether: 128 * mebibyte,
};
