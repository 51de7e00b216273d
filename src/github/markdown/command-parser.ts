import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Command, CommandName } from '../../steering/command.ts';
import { commandNames, parseSlashCommand } from '../../steering/commands/index.ts';
import { blocksIn } from './blocks.ts';
import { withoutInvisible } from './visible.ts';

/** A slash word at the beginning of a paragraph's line, and what stands behind it. */
export interface SlashCommand {
  readonly word: string;
  /** The rest of its line. */
  readonly line: string;
  /** All the rest of the comment as it was written, code blocks and all. */
  readonly body: string;
}

/**
 * The command in a comment; undefined when there is none. A comment is one command:
 * `/steer` and `/run` take whatever follows as their text, behind the others a second word is a mistake.
 */
export function parseCommand(markdown: string): Command | undefined {
  for (const utterance of slashCommandsIn(markdown)) {
    const command = parseSlashCommand(utterance);
    if (command !== undefined) return aloneOrMisspoken(command, utterance);
  }
  return undefined;
}

/**
 * Slash words that begin a line in a paragraph of the comment itself, at most one for each paragraph.
 * Quotes, lists, code, HTML and links are other
 * kinds of node, so what stands in them is never a command, nor is what an invisible character hides.
 */
export function slashCommandsIn(markdown: string): SlashCommand[] {
  const text = withoutInvisible(markdown);
  if (!mayContainCommand(text)) return [];
  return paragraphsOf(text).flatMap((paragraph) => slashCommandIn(text, paragraph) ?? []);
}

/** Whether a line begins with a word of ours: so it is where there is a command, and hardly elsewhere. */
export function mayContainCommand(text: string): boolean {
  return ourLine.test(withoutInvisible(text));
}

/** `/coxswain approve` says the same as `/approve`. */
const addressed = 'coxswain';
const slashWord = /^\/([a-z][\w-]*)(?:[^\S\r\n]+|(?=[\r\n])|$)/i;
const ourLine = new RegExp(`^[ \\t]*/(?:${[addressed, ...commandNames].join('|')})(?=\\s|$)`, 'im');

/** The comment's own paragraphs, as far as a command is looked for. */
function paragraphsOf(text: string): RootContent[] {
  return blocksIn(text.slice(0, farEnough)).filter(({ type }) => type === 'paragraph');
}

/** A command begins within this many characters of its comment; the text behind it may be longer. */
const farEnough = 16_384;

function startOf({ position }: RootContent): number {
  return position?.start.offset ?? 0;
}

/** The word at the paragraph's own beginning, else at that of a later line, as in "Looks good\n/approve". */
function slashCommandIn(text: string, paragraph: RootContent): SlashCommand | undefined {
  const start = startOf(paragraph);
  const first = slashCommandAt(text, start);
  if (first !== undefined) return first;
  const source = text.slice(start, paragraph.position?.end.offset);
  const line = source.length <= mostInline ? ourLine.exec(source) : null;
  if (line === null) return undefined;
  const place = line.index + line[0].indexOf('/');
  return isPlainText(source, place) ? slashCommandAt(text, start + place) : undefined;
}

/** What stands inside a paragraph is read up to this length; the time it takes grows with the square. */
const mostInline = 4000;

/** A line inside a paragraph may still be code, a link, or an HTML comment that nobody sees. */
function isPlainText(source: string, place: number): boolean {
  const [block] = fromMarkdown(source).children;
  if (block?.type !== 'paragraph') return false;
  const holder = block.children.find(
    ({ position }) => (position?.start.offset ?? 0) <= place && place < (position?.end.offset ?? 0),
  );
  return holder?.type === 'text';
}

function slashCommandAt(text: string, start: number): SlashCommand | undefined {
  const first = spokenIn(text.slice(start));
  if (first?.word.toLowerCase() !== addressed) return first;
  return first.line === '' ? { word: 'help', line: '', body: '' } : spokenIn(`/${first.body}`);
}

function spokenIn(text: string): SlashCommand | undefined {
  const found = slashWord.exec(text);
  if (found?.[1] === undefined) return undefined;
  const rest = text.slice(found[0].length);
  const line = /^[^\r\n]*/.exec(rest)?.[0] ?? '';
  return { word: found[1], line: line.trim(), body: rest.trim() };
}

const takesAll: readonly CommandName[] = ['steer', 'run'];

function aloneOrMisspoken(command: Command, { word, body }: SlashCommand): Command {
  const name = command.type === 'misspoken' ? command.name : command.type;
  if (takesAll.includes(name) || !mayContainCommand(body) || !holdsSecondWord(body)) return command;
  return { type: 'misspoken', name, problem: `one command a comment, and something follows \`/${word}\`` };
}

/** Less strict than `slashCommandsIn`: the second word may stand on any line of a paragraph. */
function holdsSecondWord(body: string): boolean {
  return paragraphsOf(body).some((paragraph) =>
    ourLine.test(body.slice(startOf(paragraph), paragraph.position?.end.offset)),
  );
}
