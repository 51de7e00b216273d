import { wholeNumber } from '../quantities.ts';
import { mapping, numberFrom, textLike } from '../schema/forms.ts';
import { operatorLimitKeys } from '../schema/limits.ts';

const bytesIn = { m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 } as const;

const written = /^([1-9][0-9]{0,5})([mgt])$/;

/** Bytes of `512m`, `4g` or `1t`; undefined when the text is not a size. */
export function bytesOf(text: string): number | undefined {
  const [, amount, unit] = written.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * bytesIn[unit as keyof typeof bytesIn]; // the pattern allows no other unit
}

const sizeError = 'a size in mebibytes, gibibytes or tebibytes, such as 512m, 4g or 1t';

const size = textLike(written, sizeError);

const perAttempt = {
  memory: size.optional().meta({
    description:
      'The memory of the programs of one attempt together. By default three quarters of the machine.',
    examples: ['4g'],
  }),
  processes: wholeNumber(16, 1_000_000)
    .optional()
    .meta({ description: 'Their processes and threads together.', examples: [1000] }),
  cpus: numberFrom(0.1, 1024)
    .optional()
    .meta({ description: 'How many processors they may keep busy. By default all.', examples: [2] }),
  disk: size.optional().meta({ description: 'What they may write.', examples: ['10g'] }),
};

export const operatorLimits = mapping({ ...operatorLimitKeys, ...perAttempt })
  .prefault({})
  .meta({
    description: 'What runs may use: each of them, all of them in a day, and the programs of one attempt.',
    examples: [{ minutes: 60, cost_usd: 10, cost_usd_per_day: 100, memory: '4g' }],
  });
