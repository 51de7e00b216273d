import { EventEmitter, once } from 'node:events';

export type Slots = ReturnType<typeof slots>;

/** Shares something that there is little of, in the order in which it was asked for. */
export function slots(count: number) {
  let free = count;
  const waiting = new Set<object>();
  const changes = new EventEmitter<{ change: [] }>().setMaxListeners(0);
  const turn = async (wanted: number, signal: AbortSignal): Promise<void> => {
    const place = {};
    waiting.add(place);
    try {
      signal.throwIfAborted();
      while (wanted > free || waiting.values().next().value !== place)
        await once(changes, 'change', { signal });
      free -= wanted;
    } finally {
      waiting.delete(place);
      changes.emit('change');
    }
  };
  /** Acts with so much of it; more than there is counts as all. Rejects if the signal aborts before. */
  return async <T>(asked: number, signal: AbortSignal, act: () => Promise<T>): Promise<T> => {
    const wanted = Math.min(asked, count);
    await turn(wanted, signal);
    try {
      return await act();
    } finally {
      free += wanted;
      changes.emit('change');
    }
  };
}
