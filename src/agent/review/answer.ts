import { z } from 'zod';
import type { FoundConcern, FoundReview } from '../../steering/attempt-result.ts';
import { shortened } from '../../text/cut.ts';

const maxConcerns = 50;
const maxText = 1_000;

const concern = z.object({
  id: z.exactOptional(z.string().max(10)),
  file: z
    .string()
    .max(500)
    .regex(/^\P{Cc}+$/u, 'a path'),
  line: z.int().min(1).nullish(),
  severity: z.enum(['low', 'medium', 'high']),
  text: z.string().regex(/\S/, 'a text that says what is wrong').max(20_000),
});

const ids = z.array(z.string().max(10)).max(200).default([]);

const answer = z.object({
  confidence: z.number().min(0).max(1),
  concerns: z.array(concern).max(2_000).default([]),
  resolved: ids,
  withdrawn: ids,
});

type Answer = Omit<FoundReview, 'by' | 'touched' | 'cost'>;

/** The opinion in the last message of a reviewer, or why there is none in it. */
export function readAnswer(message: string): Answer {
  const json = jsonIn(message);
  if (json === undefined)
    return without(message.trim() === '' ? 'it said nothing' : 'its last message holds no JSON');
  const read = answer.safeParse(json);
  if (!read.success)
    return without(`its answer does not fit: ${shortened(z.prettifyError(read.error), 500)}`);
  const { confidence, concerns, resolved, withdrawn } = read.data;
  const worst = [...concerns].sort((one, other) => worth(other) - worth(one));
  const omitted = Math.max(0, concerns.length - maxConcerns);
  return {
    ...{ confidence, resolved, withdrawn },
    concerns: worst.slice(0, maxConcerns).map(concernFrom),
    ...(omitted > 0 && { omitted }),
  };
}

/** What there is where no opinion counts. */
export function without(problem: string): Answer {
  return { confidence: null, problem, concerns: [], resolved: [], withdrawn: [] };
}

function worth({ severity }: z.output<typeof concern>): number {
  return { low: 0, medium: 1, high: 2 }[severity];
}

function concernFrom({ id, file, line, severity, text }: z.output<typeof concern>): FoundConcern {
  return {
    ...(id !== undefined && { id }),
    file: file.replace(/^\.?\//, ''),
    ...(line != null && { line }),
    severity,
    text: shortened(text.trim(), maxText),
  };
}

/** The object that the message ends with, also in a fence or with words around it. */
function jsonIn(message: string): unknown {
  const end = message.lastIndexOf('}');
  for (let at = message.indexOf('{'), tries = 0; at !== -1 && at < end && tries < maxTries; tries += 1) {
    const value = parsed(message.slice(at, end + 1));
    if (value !== undefined) return value;
    at = message.indexOf('{', at + 1);
  }
  return undefined;
}

/** Where its words have braces, too. */
const maxTries = 20;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the next brace may begin it
  }
}
