/** One line of the table. Names and keys are what `--json` prints. */
export interface Figure {
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  /** Medians over all rounds. */
  readonly ours: number;
  readonly floor: number;
  /** `ours` ÷ `floor` of each round, and of these the median: what slows a round slows both. */
  readonly ratio: number;
  /** `>= 0.6`; absent where nothing was promised. */
  readonly aim?: string;
  /** What else was counted on the way. */
  readonly also?: Readonly<Record<string, number>>;
}

/** One round: ours and its floor, measured directly one after the other. */
export interface Round {
  readonly ours: number;
  readonly floor: number;
}

type Named = Omit<Figure, 'ours' | 'floor' | 'ratio'>;

export function figureOf(rounds: readonly Round[], named: Named): Figure {
  const { name, what, unit, ...rest } = named;
  return {
    name,
    what,
    unit,
    ours: median(rounds.map(({ ours }) => ours)),
    floor: median(rounds.map(({ floor }) => floor)),
    ratio: median(rounds.map(({ ours, floor }) => ours / floor)),
    ...rest,
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the share lies, between neighbours in proportion. Throws when there is none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('could not take a quantile of no values');
  return below + (above - below) * (place - Math.floor(place));
}
