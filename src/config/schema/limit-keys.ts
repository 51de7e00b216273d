import type { z } from 'zod';
import {
  dailyLimits,
  type LimitName,
  limitNames,
  type ReviewLimit,
  reviewLimits,
} from '../../steering/shapes/limits.ts';
import { boundLimit } from './operator-bounds.ts';
import { key, numberFrom, section, wholeNumber } from './schema-forms.ts';
import { lowered } from './tightening.ts';

const costError = 'an amount from 0.01 to 1000000';

/** A task may lower each, and the operator bounds it. */
const byName: Readonly<Record<LimitName, z.ZodNumber>> = {
  minutes: key(wholeNumber(1, 1440), {
    task: lowered,
    operator: boundLimit('minutes'),
    description:
      'How long setup and the agent of one attempt may take together; verifiers have their own timeouts.',
    examples: [60],
  }),
  cost_usd: key(numberFrom(0.01, 1_000_000, costError), {
    task: lowered,
    operator: boundLimit('cost_usd'),
    title: 'Cost',
    description:
      'How much the models of all attempts of a run may cost together, in US dollars. Then a human is asked. By default there is no limit. A model whose price is not known costs nothing here.',
    examples: [5],
  }),
  tokens: key(wholeNumber(1, 1_000_000_000_000), {
    task: lowered,
    operator: boundLimit('tokens'),
    title: 'Tokens',
    description:
      'How many tokens of models all attempts of a run may use together. Then a human is asked. By default there is no limit.',
    examples: [2_000_000],
  }),
  tool_calls: key(wholeNumber(1, 100_000), {
    task: lowered,
    operator: boundLimit('tool_calls'),
    description:
      'How many tool calls an agent may make in one attempt, as far as it reports them: an agent with `use: command` reports none. By default there is no limit.',
    examples: [500],
  }),
};

/** No agent uses these up, so no worker profile has them. */
const forReviewers: Readonly<Record<ReviewLimit, z.ZodNumber>> = {
  open_runs: key(wholeNumber(1, 1000), {
    operator: boundLimit('open_runs'),
    description:
      'How many pull requests of runs may be open at once. A run that is started beyond that waits for its turn. By default there is no limit.',
    examples: [3],
  }),
  diff_lines: key(wholeNumber(1, 1_000_000), {
    task: { ...lowered, at: ['diff_lines'] },
    operator: boundLimit('diff_lines'),
    description:
      'How many lines a change may add and delete together, without generated files. A larger one hits the rule `large-change`, so people decide. By default there is no limit.',
    examples: [800],
  }),
};

type Optional<Key extends string> = Record<Key, z.ZodOptional<z.ZodNumber>>;

/** Limits of a worker profile only count where they are less than those of the configuration. */
export const profileLimits = keysFor(limitNames, (name) => [
  name,
  key(byName[name], { ...byName[name].meta(), task: undefined, operator: undefined }).optional(),
]);

/** What an operator allows at most: to each run, and to all runs of a day together. */
export const operatorLimitKeys = {
  ...keysFor(limitNames, (name) => [
    name,
    key(byName[name].optional(), {
      description: `The most that a repository may set as \`limits.${name}\`, which also holds where it sets none.`,
    }),
  ]),
  ...keysFor(reviewLimits, (name) => [
    name,
    key(forReviewers[name].optional(), {
      description: `The most that a repository may set as \`limits.${name}\`, which also holds where it sets none.`,
    }),
  ]),
  ...keysFor(dailyLimits, (name) => [
    `${name}_per_day`,
    key(byName[name].optional(), {
      description: `The most that all runs of one data folder may use together in a day (UTC), as in \`limits.${name}\`.`,
    }),
  ]),
};

function keysFor<Name extends LimitName | ReviewLimit, Key extends string>(
  names: readonly Name[],
  keyOf: (name: Name) => readonly [Key, z.ZodOptional<z.ZodNumber>],
): Optional<Key> {
  return Object.fromEntries(names.map(keyOf)) as Optional<Key>; // one for each of the names
}

export const limits = section({
  ...keysFor(limitNames, (name) => [name, byName[name].optional()]),
  minutes: byName.minutes.default(60),
  ...keysFor(reviewLimits, (name) => [name, forReviewers[name].optional()]),
}).meta({
  description: 'What a run may use, and how much people are given to review.',
  examples: [{ minutes: 30 }],
});
