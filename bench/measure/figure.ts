/** One line of the table. Names and keys are what `--json` prints. */
export interface Figure {
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  /** Medians over all rounds. */
  readonly ours: number;
  readonly floor: number;
  /** The median of `ours` ÷ `floor` over all rounds: whatever slows a round down slows both. */
  readonly ratio: number;
  /** Such as `>= 0.6`; absent where there is no target. */
  readonly aim?: string;
  /** Further numbers, by name. */
  readonly also?: Readonly<Record<string, number>>;
}

/** One round: ours and its floor, measured one right after the other. */
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

/** The quantile, interpolated between neighbours. Throws when there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error('could not take a quantile of no values');
  return below + (above - below) * (position - Math.floor(position));
}
