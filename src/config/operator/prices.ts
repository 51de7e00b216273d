import { z } from 'zod';

const priceError = 'a price in US dollars per million tokens, such as 2.5';

const price = z
  .number({ error: priceError })
  .min(0, { error: priceError })
  .max(1_000_000, { error: priceError });

const modelError = 'the name of a model or a glob, such as gpt-5-mini or "gpt-5*"';

const perModel = z.strictObject(
  {
    model: z
      .string({ error: modelError })
      .regex(/^[\w.:/@*-]{1,200}$/, { error: modelError })
      .meta({
        description: 'The model, as a name or as a glob. Of several that match, the longest counts.',
        examples: ['gpt-5*'],
      }),
    input: price.meta({ description: 'A million tokens of input.', examples: [1.25] }),
    output: price.meta({ description: 'A million tokens of output.', examples: [10] }),
    cached_input: price.optional().meta({
      description: 'A million tokens of input from the cache; by default like `input`.',
      examples: [0.125],
    }),
    cache_write: price.optional().meta({
      description: 'A million tokens written to the cache; by default like `input`.',
      examples: [1.5],
    }),
  },
  { error: 'a mapping with `model`, `input` and `output`' },
);

export const prices = z
  .array(perModel, { error: 'a list of prices, each with `model`, `input` and `output`' })
  .max(500, { error: 'at most 500 prices' })
  .default([])
  .meta({
    description:
      'Your own prices of models, in US dollars per million tokens; they go before those that Coxswain knows.',
    examples: [[{ model: 'gpt-5*', input: 1.25, output: 10 }]],
  });
