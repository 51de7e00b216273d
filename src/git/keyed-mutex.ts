const lanes = new Map<string, Promise<unknown>>();

/** Does the works of one lane one after the other, in this process; a failure does not stop the next. */
export function runExclusive<T>(lane: string, work: () => Promise<T>): Promise<T> {
  const before = lanes.get(lane) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.then(
    () => undefined,
    () => undefined, // told to whoever asked for the work
  );
  lanes.set(lane, settled);
  void settled.then(() => lanes.get(lane) === settled && lanes.delete(lane));
  return mine;
}
