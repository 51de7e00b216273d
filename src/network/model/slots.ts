/** Shares something that there is little of, in the order in which it was asked for. */
export interface Slots {
  /** Resolves to what gives it back; more than there is counts as all. Rejects if the signal aborts first. */
  take(signal: AbortSignal, wanted?: number): Promise<() => void>;
}

interface Waiting {
  readonly wanted: number;
  enter(): void;
}

export function slots(count: number): Slots {
  let free = count;
  const waiting = new Set<Waiting>();
  const admit = () => {
    for (const next of waiting) {
      if (next.wanted > free) return;
      next.enter();
    }
  };
  const occupy = (wanted: number) => {
    free -= wanted;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free += wanted;
      admit();
    };
  };
  return {
    async take(signal, given = 1) {
      signal.throwIfAborted();
      const wanted = Math.min(given, count);
      if (waiting.size === 0 && wanted <= free) return occupy(wanted);
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(next);
          reject(signal.reason);
          admit();
        };
        const enter = () => {
          waiting.delete(next);
          signal.removeEventListener('abort', leave);
          resolve(occupy(wanted));
        };
        const next = { wanted, enter };
        waiting.add(next);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
