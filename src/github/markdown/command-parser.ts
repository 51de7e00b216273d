import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import {
  type Command,
  commandNames,
  commandSpecs,
  parseSlashCommand,
} from '../../steering/commands/index.ts';
import type { SlashCommand } from '../../steering/commands/spec.ts';
import { blocksIn } from './blocks.ts';
import { withoutInvisible } from './visible.ts';

/**
 * The command in a comment; undefined if there is none. A comment contains only one command: `/steer` and
 * `/run` take everything that follows as their text; after any other, a second command is an error.
 */
export function parseCommand(markdown: string): Command | undefined {
  for (const found of slashCommandsIn(markdown)) {
    const command = parseSlashCommand(found);
    if (command !== undefined) return rejectSecondCommand(command, found);
  }
  return undefined;
}

/**
 * Slash commands that start a line in a top-level paragraph, at most one per paragraph. Quotes, lists, code,
 * HTML and links are other kinds of nodes, so they never contain a command; neither does anything hidden by
 * an invisible character.
 */
export function slashCommandsIn(markdown: string): SlashCommand[] {
  const text = withoutInvisible(markdown);
  if (!mayContainCommand(text)) return [];
  return paragraphsOf(text).flatMap((paragraph) => slashCommandIn(text, paragraph) ?? []);
}

/** Whether a line starts with one of our commands; a cheap test with few false positives. */
export function mayContainCommand(text: string): boolean {
  return commandLine.test(withoutInvisible(text));
}

/** `/coxswain approve` is the same as `/approve`. */
const appName = 'coxswain';
const slashWord = /^\/([a-z][\w-]*)(?:[^\S\r\n]+|(?=[\r\n])|$)/i;
const commandLine = new RegExp(`^[ \\t]*/(?:${[appName, ...commandNames].join('|')})(?=\\s|$)`, 'im');

/** The comment's top-level paragraphs, as far as we search for commands. */
function paragraphsOf(text: string): RootContent[] {
  return blocksIn(text.slice(0, maxCommandOffset)).filter(({ type }) => type === 'paragraph');
}

/** A command must start within this many characters; the text after it may be longer. */
const maxCommandOffset = 16_384;

function startOf({ position }: RootContent): number {
  return position?.start.offset ?? 0;
}

/** The command at the start of the paragraph, else of a later line, as in "Looks good\n/approve". */
function slashCommandIn(text: string, paragraph: RootContent): SlashCommand | undefined {
  const start = startOf(paragraph);
  const first = slashCommandAt(text, start);
  if (first !== undefined) return first;
  const source = text.slice(start, paragraph.position?.end.offset);
  const line = source.length <= maxInline ? commandLine.exec(source) : null;
  if (line === null) return undefined;
  const place = line.index + line[0].indexOf('/');
  return isPlainText(source, place) ? slashCommandAt(text, start + place) : undefined;
}

/** Inline Markdown is only parsed up to this length, because parsing takes quadratic time. */
const maxInline = 4000;

/** A line inside a paragraph may still be part of code, a link or an invisible HTML comment. */
function isPlainText(source: string, place: number): boolean {
  const [block] = fromMarkdown(source).children;
  if (block?.type !== 'paragraph') return false;
  const holder = block.children.find(
    ({ position }) => (position?.start.offset ?? 0) <= place && place < (position?.end.offset ?? 0),
  );
  return holder?.type === 'text';
}

function slashCommandAt(text: string, start: number): SlashCommand | undefined {
  const first = slashWordIn(text.slice(start));
  if (first?.word.toLowerCase() !== appName) return first;
  return first.line === '' ? { word: 'help', line: '', body: '' } : slashWordIn(`/${first.body}`);
}

function slashWordIn(text: string): SlashCommand | undefined {
  const found = slashWord.exec(text);
  if (found?.[1] === undefined) return undefined;
  const rest = text.slice(found[0].length);
  const line = /^[^\r\n]*/.exec(rest)?.[0] ?? '';
  return { word: found[1], line: line.trim(), body: rest.trim() };
}

function rejectSecondCommand(command: Command, { word, body }: SlashCommand): Command {
  const name = command.type === 'misspoken' ? command.name : command.type;
  if (commandSpecs[name].takesRest || !mayContainCommand(body) || !containsCommand(body)) return command;
  return {
    type: 'misspoken',
    name,
    problem: `only one command per comment, but another follows \`/${word}\``,
  };
}

/** Less strict than `slashCommandsIn`: a second command may be on any line of a paragraph. */
function containsCommand(body: string): boolean {
  return paragraphsOf(body).some((paragraph) =>
    commandLine.test(body.slice(startOf(paragraph), paragraph.position?.end.offset)),
  );
}
