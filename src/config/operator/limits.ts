import { z } from 'zod';
import { wholeNumber } from '../quantities.ts';
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

const size = z.string({ error: sizeError }).regex(written, { error: sizeError });

const cpusError = 'a number from 0.1 to 1024';

const perAttempt = {
  memory: size.optional().meta({
    description:
      'The memory of the programs of one attempt together. By default three quarters of the machine.',
    examples: ['4g'],
  }),
  processes: wholeNumber(16, 1_000_000)
    .optional()
    .meta({ description: 'Their processes and threads together.', examples: [1000] }),
  cpus: z
    .number({ error: cpusError })
    .min(0.1, { error: cpusError })
    .max(1024, { error: cpusError })
    .optional()
    .meta({ description: 'How many processors they may keep busy. By default all.', examples: [2] }),
  disk: size.optional().meta({ description: 'What they may write.', examples: ['10g'] }),
};

export const operatorLimits = z
  .strictObject({ ...operatorLimitKeys, ...perAttempt }, { error: 'a mapping' })
  .prefault({})
  .meta({
    description: 'What runs may use: each of them, all of them in a day, and the programs of one attempt.',
    examples: [{ minutes: 60, cost_usd: 10, cost_usd_per_day: 100, memory: '4g' }],
  });
