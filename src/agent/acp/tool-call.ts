import { isAbsolute, normalize, relative } from 'node:path';
import { type Reading, type ToolResult, titleAsCommand } from '../../profiles/profile.ts';
import { beginningOf, shortened } from '../../text/characters.ts';
import type { PermissionRequest } from '../port/agent-adapter.ts';
import { at, copyOf, cutTo, listAt, textAt } from '../port/agent-values.ts';
import { lineOf, shellWord } from '../process/child.ts';

/** What an agent has said of a tool call, in one message or in several. */
export interface Said {
  readonly kind?: string;
  /** Agents that do not show the call's input say the command here. */
  readonly title?: Line;
  /** Its input has named it. */
  readonly command?: Line;
  readonly paths: readonly string[];
  readonly status?: string;
}

/** A text, or the beginning of one that is too long to be kept. */
interface Line {
  readonly text: string;
  readonly isCut: boolean;
}

/** Reads the `ToolCall` or `ToolCallUpdate` of one message. */
export function saidOf(raw: unknown): Said {
  const kind = textAt(raw, 'kind');
  // Some ask about a tool of a server with its input for a title, and have named it before.
  const isInput = textAt(raw, 'title') === JSON.stringify(at(raw, ['rawInput']));
  const title = isInput ? undefined : textAt(raw, 'title');
  const status = textAt(raw, 'status');
  const command = commandIn(at(raw, ['rawInput']));
  return {
    ...(kind !== undefined && { kind: kinds.includes(kind) ? kind : 'other' }),
    ...(title !== undefined && { title: lineFrom(title) }),
    ...(status !== undefined && { status: cutTo(status, maxWord) }),
    ...(command !== undefined && { command: lineFrom(command) }),
    paths: pathsIn(raw),
  };
}

/** What the same message says of the call's result. */
export function resultOf(raw: unknown): ToolResult {
  return {
    rawOutput: at(raw, ['rawOutput']),
    content: at(raw, ['content']),
    meta: at(raw, ['_meta']),
  };
}

/** About how much memory it takes. */
export function sizeOf({ title, command, paths }: Said): number {
  const texts = [title?.text ?? '', command?.text ?? '', ...paths];
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function lineFrom(text: string): Line {
  return { text: cutTo(text, maxLine), isCut: text.length > maxLine };
}

/** Later messages say more, never less. */
export function merged(before: Said, later: Said): Said {
  const paths = [...new Set([...before.paths, ...later.paths])].slice(0, maxPaths);
  return { ...before, ...later, paths };
}

/**
 * What is known of it altogether. A kind that we do not know counts as `other`. Whatever kind it is said to
 * be, a call with a command executes it: then rules for commands hold, also for one that is said only to
 * read.
 */
export function described(said: Said, { reading, workspace }: Place): PermissionRequest {
  const { title, paths } = said;
  const kind = said.command === undefined ? (said.kind ?? 'other') : 'execute';
  const line =
    said.command ?? (title && { ...title, text: (reading.commandIn ?? titleAsCommand)(title.text) });
  return {
    kind,
    title: shortened(title?.text ?? 'a tool call without a title', maxTitle),
    ...(kind === 'execute' && line?.text ? { command: line.text, ...(line.isCut && { isCut: true }) } : {}),
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
const maxLine = 65_536;
/** No name in the protocol is longer. */
const maxWord = 50;
/** The system knows no longer ones. */
const maxPath = 4_096;

/** Lines of shell: which of two that differ is executed, only the agent knows. */
function commandIn(input: unknown): string | undefined {
  const [args = []] = ['args', 'arguments']
    .map((key) => wordsAt(input, key))
    .filter((words) => words.length > 0);
  const lines = ['command', 'cmd'].flatMap((key) => {
    const named = at(input, [key]);
    const words = wordsAt(input, key);
    if (words.length > 0) return [[lineOf(words), ...args.map(shellWord)].join(' ')];
    if (typeof named !== 'string' || named.trim() === '' || isEditing(named, input)) return [];
    return [[named, ...args.map(shellWord)].join(' ')];
  });
  return lines.length === 0 ? undefined : [...new Set(lines)].join('\n');
}

/** What a tool that edits a file does with it, which no shell sees. */
function isEditing(command: string, input: unknown): boolean {
  return editing.includes(command) && textAt(input, 'path') !== undefined;
}

const editing = ['view', 'create', 'str_replace', 'insert', 'undo_edit'];

/** A program with its arguments, however many. */
function wordsAt(input: unknown, key: string): readonly string[] {
  const words = at(input, [key]);
  return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
}

function pathsIn(raw: unknown): readonly string[] {
  const named = [
    ...listAt(raw, 'locations').map((location) => textAt(location, 'path')),
    ...listAt(raw, 'content').map((part) => textAt(part, 'path')),
    ...['file_path', 'filePath', 'absolute_path', 'path'].map((key) => textAt(raw, 'rawInput', key)),
  ];
  return [...new Set(named.filter((path) => path !== undefined).map(keptPath))].slice(0, maxPaths);
}

/** Takes the detours out of a path that is too long, as the agent may open it by a shorter one. */
function keptPath(path: string): string {
  return path.length <= maxPath ? path : copyOf(beginningOf(normalize(path), maxPath));
}

/** The path that rules know: relative to the workspace, if it is in there. */
function inside(workspace: string, path: string): string {
  const within = relative(workspace, path);
  return isAbsolute(path) && within !== '' && !within.startsWith('..') ? within : path;
}
