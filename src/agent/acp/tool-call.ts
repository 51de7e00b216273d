import { isAbsolute, relative } from 'node:path';
import { shortened } from '../../text/cut.ts';
import type { Reading, ToolResult } from '../profiles/profile.ts';
import { lineOf } from '../shell-line.ts';
import { at, listAt, textAt } from './values.ts';

/** What an agent has said of a tool call, in one message or in several. */
export interface Said {
  readonly kind?: string;
  readonly title?: string;
  /** From its input. */
  readonly command?: string;
  readonly paths: readonly string[];
  readonly status?: string;
  readonly result: ToolResult;
}

/** What is known of it altogether. */
export interface Described {
  readonly kind: string;
  readonly title: string;
  readonly command?: string;
  readonly paths?: readonly string[];
}

/** Reads the `ToolCall` or `ToolCallUpdate` of one message. */
export function saidOf(raw: unknown): Said {
  const kind = textAt(raw, 'kind');
  const title = textAt(raw, 'title');
  const status = textAt(raw, 'status');
  const command = commandIn(at(raw, ['rawInput']));
  return {
    ...(kind !== undefined && { kind }),
    ...(title !== undefined && { title }),
    ...(status !== undefined && { status }),
    ...(command !== undefined && { command }),
    paths: pathsIn(raw),
    result: {
      rawOutput: at(raw, ['rawOutput']),
      content: at(raw, ['content']),
      meta: at(raw, ['_meta']),
    },
  };
}

/** Later messages say more, never less. */
export function merged(before: Said, later: Said): Said {
  const paths = [...new Set([...before.paths, ...later.paths])].slice(0, maxPaths);
  return { ...before, ...later, paths };
}

/** A kind that we do not know counts as `other`, unless there is a command: then rules for commands hold. */
export function described(said: Said, { reading, workspace }: Place): Described {
  const { title = 'a tool call without a title', paths } = said;
  const stated = kinds.includes(said.kind ?? '') ? (said.kind ?? 'other') : 'other';
  const kind = stated === 'other' && said.command !== undefined ? 'execute' : stated;
  const command = said.command ?? (said.title && reading.commandIn(said.title));
  return {
    kind,
    title: shortened(title, maxTitle),
    ...(kind === 'execute' && command ? { command } : {}),
    ...(paths.length > 0 && { paths: paths.map((path) => inside(workspace, path)) }),
  };
}

interface Place {
  readonly reading: Reading;
  readonly workspace: string;
}

const kinds = [
  ...['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'],
];

const maxPaths = 100;
const maxTitle = 200;

/** A line of shell; a list is taken for a program with its arguments. */
function commandIn(input: unknown): string | undefined {
  const named = ['command', 'cmd'].map((key) => at(input, [key]));
  for (const each of named) {
    if (typeof each === 'string' && each.trim() !== '') return each;
    const words = Array.isArray(each) ? each.filter((word) => typeof word === 'string') : [];
    if (words.length > 0) return lineOf(words);
  }
  return undefined;
}

function pathsIn(raw: unknown): readonly string[] {
  const named = [
    ...listAt(raw, 'locations').map((location) => textAt(location, 'path')),
    ...listAt(raw, 'content').map((part) => textAt(part, 'path')),
    ...['file_path', 'filePath', 'absolute_path', 'path'].map((key) => textAt(raw, 'rawInput', key)),
  ];
  return [...new Set(named.filter((path) => path !== undefined))].slice(0, maxPaths);
}

/** As rules know it: relative to the workspace, if it is in there. */
function inside(workspace: string, path: string): string {
  const within = relative(workspace, path);
  return isAbsolute(path) && within !== '' && !within.startsWith('..') ? within : path;
}
