/** The environment is incomplete or invalid; the message says what to change. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
}
