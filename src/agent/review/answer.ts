import { posix } from 'node:path';
import { z } from 'zod';
import type { FoundConcern, FoundReview } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/cut.ts';
import { visible } from '../../text/visible.ts';

const maxConcerns = 50;
const maxText = 1_000;

const concern = z.object({
  id: z.string().max(10).nullish(),
  file: z.string().min(1).max(500),
  line: z.int().min(1).max(10_000_000).nullish(),
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
    ...(id != null && { id }),
    file: fileIn(file),
    ...(line != null && { line }),
    severity,
    text: shortened(text.trim(), maxText),
  };
}

/** As Git names it: from the top, on one line. */
function fileIn(named: string): string {
  const path = posix.normalize(visible(named).replace(/\s+/g, ' ').trim()).replace(/^(?:\.?\.?\/)+/, '');
  return path === '' || path === '..' ? '.' : path;
}

/**
 * The last object of the message that is an answer, also in a fence or with words around it; without one, the
 * last object that there is. What it quotes from the change comes before what it says itself.
 */
function jsonIn(message: string): unknown {
  let last: unknown;
  let answered: unknown;
  let tries = 0;
  for (let at = message.indexOf('{'); at !== -1 && tries < maxTries; ) {
    const end = endOfObject(message, at);
    const value = end === undefined ? undefined : parsed(message.slice(at, end));
    if (value === undefined) tries += 1;
    else {
      last = value;
      if (typeof value === 'object' && value !== null && 'confidence' in value) answered = value;
    }
    at = message.indexOf('{', value === undefined ? at + 1 : end);
  }
  return answered ?? last;
}

/** Where its words have braces, too: each that is no object costs a look at what follows. */
const maxTries = 200;

/** Where the object ends that begins here; undefined if it does not. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the next brace may begin it
  }
}
