/** The steps of an actor, which it takes in this order. */
export type Steps = readonly string[];

/**
 * Every order in which these actors can take their steps, each keeping its own order: nothing is left to a
 * random choice, so a test that plays all of them has seen every race that their steps can have.
 */
export function* ordersOf(actors: readonly Steps[]): Generator<Steps> {
  const active = actors.filter((steps) => steps.length > 0);
  if (active.length === 0) yield [];
  for (const [first = '', ...rest] of active) {
    const others = actors.map((steps) => (steps[0] === first ? rest : steps));
    for (const order of ordersOf(others)) yield [first, ...order];
  }
}

/** The same steps with one of them told once more, at each place after it. */
export function* withRepetition(order: Steps, isRepeated: (step: string) => boolean): Generator<Steps> {
  yield order;
  for (const [index, step] of order.entries()) {
    if (!isRepeated(step)) continue;
    for (let place = index + 1; place <= order.length; place++)
      yield [...order.slice(0, place), step, ...order.slice(place)];
  }
}
