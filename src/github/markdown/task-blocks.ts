import { readTaskDocuments, type TaskReading } from '../../config/tasks/task-documents.ts';
import { taskSchema } from '../../config/tasks/task-schema.ts';
import type { ReadTasks } from '../../steering/commands/spec.ts';

/** What a block is called that describes tasks. */
const blockName = 'coxswain';
const yamlNames: readonly string[] = ['', 'yaml', 'yml'];

/** Reads the block after a command, where nothing else can be meant by one in YAML. */
export const readTasks: ReadTasks = (written) => {
  const text = written.replace(/\r\n?/g, '\n');
  const { fences, isAlone } = fencesIn(text);
  const named = fences.filter(isOurs);
  const isMeant = isAlone && fences.every(({ info }) => yamlNames.includes(info.toLowerCase()));
  const blocks = named.length === 0 && isMeant ? fences : named;
  if (blocks.length === 0) return isBareDocument(text) ? readTaskDocuments(text) : undefined;
  if (blocks.length === 1 && !isAlone)
    return { problem: 'expected nothing but the block, got other text beside it' };
  return readBlocks(blocks, false);
};

/**
 * Whoever copies a block gets it without its fence, and means it all the same: a text that begins with a key
 * of a task and has neither a fence nor a comment.
 */
function isBareDocument(text: string): boolean {
  const [, key = ''] = /^(?:---\n)?([a-z_]+):(?:[ \n]|$)/.exec(text) ?? [];
  return Object.hasOwn(taskSchema.shape, key) && !/^\s*(?:`{3}|~{3}|<!--)/m.test(text);
}

/**
 * Reads the block that is meant for us in a text of an issue or after `/run`, if there is one, and gives the
 * rest without it: beside other text, only one that has our name.
 */
export function blockIn(text: string): { readonly rest: string; readonly read?: TaskReading } {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks = fencesIn(lines.join('\n')).fences.filter(isOurs);
  if (blocks.length === 0) return { rest: text };
  const isWithin = (at: number) => blocks.some(({ first, last }) => first <= at && at <= last);
  const rest = lines.filter((_, at) => !isWithin(at)).join('\n');
  return { rest: rest.trim(), read: readBlocks(blocks, true) };
}

function readBlocks(blocks: readonly Fence[], isStart: boolean): TaskReading {
  const [block] = blocks;
  if (block !== undefined && blocks.length === 1) return readTaskDocuments(block.value, isStart);
  const lines = blocks.map(({ first }) => first + 1).join(', ');
  const how = isStart ? 'put everything into one' : 'put several tasks into one, between `---`';
  return { problem: `expected one block, got ${blocks.length} (lines ${lines}): ${how}`, problems: [] };
}

function isOurs({ info }: Fence): boolean {
  return info.toLowerCase().split(/\s+/).includes(blockName);
}

/** A fenced block in the text itself, not in a quote or a list. */
interface Fence {
  readonly info: string;
  readonly value: string;
  /** These are the indices of its first and its last line. */
  readonly first: number;
  readonly last: number;
}

const opening = /^((?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])(?=[ \t`~]))*)([ \t]*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/**
 * The fenced blocks of a text, in linear time and without changing a character: strangers' comments are read
 * before anybody asks who they are. HTML comments contain none, because nobody sees them.
 */
function fencesIn(text: string): { readonly fences: readonly Fence[]; readonly isAlone: boolean } {
  const lines = text.split('\n');
  const fences: Fence[] = [];
  let isAlone = true;
  for (let first = 0; first < lines.length; first += 1) {
    const line = lines[first] ?? '';
    if (/^ {0,3}<!--/.test(line)) {
      first = lastOf(lines, first, (each) => each.includes('-->'));
      continue;
    }
    const [, around = '', indent = '', marks, info = ''] = opening.exec(line) ?? [];
    const isOutside = around === '' && /^ {0,3}$/.test(indent);
    if (marks === undefined) {
      isAlone &&= line.trim() === '';
      continue;
    }
    const end = new RegExp(`^[ \\t>]*${marks[0]}{${marks.length},}[ \\t]*$`);
    const last = lastOf(lines, first + 1, (each) => end.test(each));
    const margin = new RegExp(`^ {0,${indent.length}}`);
    const isClosed = end.test(lines[last] ?? '') && last > first;
    const inner = lines.slice(first + 1, isClosed ? last : last + 1).map((each) => each.replace(margin, ''));
    if (isOutside) fences.push({ info: info.trim(), value: inner.join('\n'), first, last });
    else isAlone = false;
    first = last;
  }
  return { fences, isAlone };
}

/** The line that ends what began at another one, or the last one of all. */
function lastOf(lines: readonly string[], from: number, isEnd: (line: string) => boolean): number {
  let at = from;
  while (at < lines.length - 1 && !isEnd(lines[at] ?? '')) at += 1;
  return at;
}
