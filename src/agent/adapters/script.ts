import { load, YAMLException } from 'js-yaml';
import { z } from 'zod';
import { partialReportSchema } from './command-agent.ts';

const millisecondsIn = { ms: 1, s: 1_000, m: 60_000 } as const;

const duration = z
  .string()
  .regex(/^\d{1,6}(?:ms|s|m)$/, 'a duration such as 500ms, 2s or 1m')
  .transform((text) => {
    const unit = text.replace(/^\d+/, '');
    // The pattern above allows no other unit.
    return Number.parseInt(text, 10) * millisecondsIn[unit as keyof typeof millisecondsIn];
  });

const path = z.string().min(1);

/** What a script can do. Its first key says which kind of step it is. */
const stepSchemas = {
  say: z.strictObject({ say: z.string(), quote: z.string().min(1).optional() }),
  write: z.strictObject({ write: path, content: z.string() }),
  append: z.strictObject({ append: path, content: z.string() }),
  delete: z.strictObject({ delete: path }),
  run: z.strictObject({ run: z.string().min(1) }),
  /** Whoever goes on with the answer is a turn of its own, found by what the prompt says. */
  ask: z.strictObject({
    ask: z.string(),
    context: z.exactOptional(z.string()),
    options: z.exactOptional(z.array(z.string())),
    multiple: z.exactOptional(z.boolean()),
    default: z.exactOptional(z.string()),
    on_timeout: z.exactOptional(z.string()),
  }),
  wait: z.strictObject({ wait: duration }),
  fail: z.strictObject({ fail: z.string().min(1) }),
  report: z.strictObject({ report: partialReportSchema }),
} as const;

type Schemas = typeof stepSchemas;

type StepName = keyof Schemas;
export type StepOf<N extends StepName> = z.output<Schemas[N]>;
export type Step = { [N in StepName]: StepOf<N> }[StepName];

const names = Object.keys(stepSchemas).join(', ');

const step = z.unknown().transform((raw, context): Step => {
  const [schema] = Object.entries(stepSchemas).flatMap(([name, each]) => (hasKey(raw, name) ? [each] : []));
  if (schema === undefined) {
    context.addIssue({ code: 'custom', message: `expected one of ${names}, such as \`say: Hello\`` });
    return z.NEVER;
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  for (const { path: inner, message } of parsed.error.issues) {
    context.addIssue({ code: 'custom', path: inner, message });
  }
  return z.NEVER;
});

const count = z.number().int().min(0);

const words = z.string().min(1);

function listed(given: string | readonly string[]): readonly string[] {
  return typeof given === 'string' ? [given] : given;
}

/** Which attempts a turn is for: all that meet every condition. */
const condition = z.strictObject({
  iteration: count.optional(),
  attempt: count.optional(),
  /** Words that the prompt contains, whatever their case; of several, all. */
  prompt: z
    .union([words, z.array(words).min(1)])
    .transform(listed)
    .optional(),
});

const scriptSchema = z.strictObject({
  turns: z
    .array(
      z.strictObject({
        on: condition.default({}),
        steps: z.array(step),
      }),
    )
    .min(1),
});

export type Script = z.output<typeof scriptSchema>;

const example = 'turns: [{ on: { iteration: 0 }, steps: [{ say: Hello }] }]';

/** A script that cannot be played. The message names the position, what was expected, and an example. */
export class ScriptError extends Error {
  override name = 'ScriptError';
}

export function parseScript(text: string, file: string): Script {
  const parsed = scriptSchema.safeParse(readYaml(text, file));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path: at, message }) => `${z.core.toDotPath(at) || 'script'}: ${message}`,
  );
  throw new ScriptError(
    `the script ${file} cannot be played: ${problems.join('; ')}; an example: ${example}`,
  );
}

function readYaml(text: string, file: string): unknown {
  try {
    return load(text, { maxAliases: 20, maxDepth: 20 });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    throw new ScriptError(`the script ${file} is not YAML: ${cause.message}; an example: ${example}`, {
      cause,
    });
  }
}

function hasKey(raw: unknown, name: string): boolean {
  return typeof raw === 'object' && raw !== null && name in raw;
}
