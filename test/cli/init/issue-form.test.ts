import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { issueForm } from '../../../src/config/tasks/form.ts';

const id = z.string().regex(/^[\w-]+$/);
const label = { label: z.string().min(1), description: z.string().optional() };
const validations = z.strictObject({ required: z.boolean() }).optional();

/** What GitHub takes as an element of the form of an issue, as far as ours uses it. */
const element = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['input', 'textarea']),
    id,
    attributes: z.strictObject({ ...label, placeholder: z.string().optional() }),
    validations,
  }),
  z.strictObject({
    type: z.literal('dropdown'),
    id,
    // A text that YAML 1.1 reads as something else, such as Yes, has to be in quotes; None is GitHub's own.
    attributes: z.strictObject({
      ...label,
      options: z.array(z.string().regex(/^(?!none$)/i)).min(1),
      default: z.int().optional(),
    }),
    validations,
  }),
]);
const form = z.strictObject({ name: z.string(), description: z.string(), body: z.array(element).min(1) });

test('the form of an issue is one that GitHub takes', () => {
  const { body } = form.parse(load(issueForm()));
  for (const names of [body.map((one) => one.id), body.map(({ attributes }) => attributes.label)])
    expect(new Set(names).size).toBe(body.length);
  expect(issueForm()).not.toMatch(/- (?:yes|no|on|off|true|false)$/im);
});
