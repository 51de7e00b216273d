import { EventEmitter, once } from 'node:events';

export type Slots = ReturnType<typeof slots>;

/** Shares something that there is little of, in the order in which it was asked for. */
export function slots(count: number) {
  let free = count;
  const waiting = new Set<EventEmitter<{ turn: [] }>>();
  const first = () => waiting.values().next().value;
  const turn = async (wanted: number, signal: AbortSignal): Promise<void> => {
    const place = new EventEmitter<{ turn: [] }>();
    waiting.add(place);
    try {
      signal.throwIfAborted();
      while (wanted > free || first() !== place) await once(place, 'turn', { signal });
      free -= wanted;
    } finally {
      waiting.delete(place);
      first()?.emit('turn');
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
      first()?.emit('turn');
    }
  };
}
