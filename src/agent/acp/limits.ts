/** How long an agent is waited for, besides the time limit of the whole attempt. */
export interface Patience {
  /** From its start to a session that is ready. */
  readonly startMs: number;
  /** From a prompt to the first sign that it is worked on. */
  readonly underwayMs: number;
  /** From telling it something to having told it, such as by ending its turn. */
  readonly steerMs: number;
  /** From the wish to park it to the end of its turn. */
  readonly parkMs: number;
  /** From the end of its work to its own end. */
  readonly exitMs: number;
}

/** Agents of several hundred megabytes are slow to start on a busy machine. */
export const usualPatience: Patience = {
  startMs: 120_000,
  underwayMs: 10_000,
  steerMs: 30_000,
  parkMs: 3_000,
  exitMs: 1_000,
};

/** Rejects with the fault if the promise is not settled in time. */
export async function within<T>(promise: Promise<T>, maxMs: number, fault: Error): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(fault), maxMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(limit);
  }
}
