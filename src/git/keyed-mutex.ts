const tails = new Map<string, Promise<unknown>>();

/** Runs the tasks of one key one at a time, in this process. A failure does not stop the next task. */
export function runExclusive<T>(key: string, task: () => Promise<T>): Promise<T> {
  const before = tails.get(key) ?? Promise.resolve();
  const mine = before.then(task, task);
  const settled = mine.then(
    () => undefined,
    () => undefined, // the caller of this task is told
  );
  tails.set(key, settled);
  void settled.then(() => tails.get(key) === settled && tails.delete(key));
  return mine;
}
