/** What the exit code of a command says; `refused` is also for what failed. */
export const exitCodes = { done: 0, refused: 1, misuse: 2, unreachable: 3, waiting: 4 } as const;

/** A command did not do what it was called for; the message is for whoever called it. */
export class Ended extends Error {
  override name = 'Ended';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A command was called with something that it does not take. */
export class UsageError extends Ended {
  override name = 'UsageError';

  constructor(message: string) {
    super(exitCodes.misuse, message);
  }
}
