import { abandon } from './abandon.ts';
import { allow } from './allow.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { budget } from './budget.ts';
import { cancel } from './cancel.ts';
import { deny } from './deny.ts';
import { diff } from './diff.ts';
import { dismiss } from './dismiss.ts';
import { extend } from './extend.ts';
import { help } from './help.ts';
import { interrupt } from './interrupt.ts';
import { logs } from './logs.ts';
import { pause } from './pause.ts';
import { reject } from './reject.ts';
import { resume } from './resume.ts';
import { retry } from './retry.ts';
import { run } from './run.ts';
import { spawn } from './spawn.ts';
import type { CommandSpec, OwnTexts, ReadRun, ReadTasks, SlashCommand, Wording } from './spec.ts';
import { status } from './status.ts';
import { steer } from './steer.ts';
import { undo } from './undo.ts';
import { update } from './update.ts';
import { verify } from './verify.ts';
import { why } from './why.ts';

/** Every command, in the order in which help lists them. */
export const commandSpecs = {
  run,
  steer,
  approve,
  answer,
  allow,
  deny,
  reject,
  cancel,
  retry,
  spawn,
  abandon,
  undo,
  update,
  interrupt,
  pause,
  resume,
  extend,
  budget,
  verify,
  dismiss,
  status,
  diff,
  logs,
  why,
  help,
} as const;

type Specs = typeof commandSpecs;
type CommandIn<S> = S extends CommandSpec<infer C> ? C : never;

/** A parsed command. The shape and the grammar of each are in `commands/<name>.ts`. */
export type Command = CommandIn<Specs[keyof Specs]> | Misspoken;

/** A known command with invalid arguments; the reply shows its usage. */
export interface Misspoken {
  readonly type: 'misspoken';
  readonly name: CommandName;
  readonly problem: string;
}

/** Each is the key of a command and its `type`. */
export type CommandName = Exclude<Command, Misspoken>['type'] & keyof Specs;
export type CommandOf<N extends CommandName> = Extract<Command, { type: N }>;

// The keys are names by their type, which Object.keys loses.
export const commandNames = Object.keys(commandSpecs) as readonly CommandName[];

/** Why only one command is refused, and what only one replies. */
export type OwnRefusal = Own<'refusals', 'why'>;
export type OwnReply = Own<'replies', 'say'>;

type Own<Kind extends string, Tag extends string> = {
  readonly [N in CommandName]: Specs[N] extends { readonly [K in Kind]: infer Texts }
    ? { readonly [T in keyof Texts]: Readonly<Record<Tag, T> & FactsOf<Texts[T]>> }[keyof Texts]
    : never;
}[CommandName];

type FactsOf<Text> = Text extends (facts: infer Facts, ...context: never) => string ? Facts : never;

/** Their texts: each is given only what has its own tag, which the types cannot follow. */
export const ownRefusals: Readonly<
  Record<OwnRefusal['why'], (refusal: OwnRefusal, wording: Wording) => string>
> = Object.assign({}, ...commandNames.map((name) => specOf(name).refusals));
export const ownReplies: Readonly<
  Record<OwnReply['say'], (reply: OwnReply, wording: Wording, run: ReadRun) => string>
> = Object.assign({}, ...commandNames.map((name) => specOf(name).replies));

/** The commands that only read, and are answered the same way in every phase. */
export type QueryCommand = {
  readonly [N in CommandName]: Specs[N] extends { readonly isQuery: true } ? N : never;
}[CommandName];
export type ActionCommand = Exclude<CommandName, QueryCommand>;

/** The commands that have a form on the page. */
export type FormCommand = {
  readonly [N in CommandName]: Specs[N] extends { readonly form: object } ? N : never;
}[CommandName];

export const queryCommands = commandNames.filter(isQuery);

/** Whether a command only asks for something. */
export function isQuery(name: CommandName): name is QueryCommand {
  return specOf(name).isQuery === true;
}

/** The name of a command, also of one whose arguments are invalid. */
export function nameOf(command: Command): CommandName {
  return command.type === 'misspoken' ? command.name : command.type;
}

/** The command that a word names, or that it most likely was to name. */
export function commandNamed(
  word: string,
): { readonly name: CommandName; readonly exact: boolean } | undefined {
  const exact = commandNames.find((known) => known === word.toLowerCase());
  const name = exact ?? misspeltName(word, commandNames);
  return name && { name, exact: exact !== undefined };
}

/**
 * Parses a slash command; undefined when its name is not one of ours. `isForUs`: nobody else can be meant, so
 * that every word gets an answer.
 */
export function parseSlashCommand(
  given: SlashCommand,
  readTasks: ReadTasks,
  isForUs = false,
): Command | undefined {
  const { word } = given;
  const named = commandNamed(word);
  if (named === undefined) return isForUs ? unknownWord(word) : undefined;
  const { name, exact } = named;
  if (!exact) {
    const problem = `there is no command \`/${word}\`; if you mean \`/${name}\`, write that in a new comment`;
    return { type: 'misspoken', name, problem };
  }
  return parsed(name, given, readTasks);
}

function parsed(name: CommandName, given: SlashCommand, readTasks: ReadTasks): Command {
  const command = commandSpecs[name].parse(given, readTasks);
  return 'problem' in command ? { type: 'misspoken', name, problem: command.problem } : command;
}

/** A plain use of a command. */
export function exampleOf(name: CommandName): Command {
  const text = commandSpecs[name].example;
  return parsed(name, { word: name, line: text, body: text }, () => undefined);
}

/** What all specifications have in common: commands and refusals are given to the one that they are of. */
export function specOf(name: CommandName): CommandSpec<Exclude<Command, Misspoken>> & OwnTexts {
  return commandSpecs[name];
}

/** Points to help, where whoever looks for a command finds all of them. */
function unknownWord(word: string): Misspoken {
  const problem = `there is no command \`/${word}\`; \`/help\` lists all of them`;
  return { type: 'misspoken', name: 'help', problem };
}

/**
 * Which of these names a word most likely is, one slip of the finger away: a letter too many, too few,
 * another one, or two that changed places. Short words are too often something else, so that of three letters
 * none is corrected, and of four no letter is replaced. A word that only goes on, such as `/approved`, is
 * another one.
 */
function misspeltName<N extends string>(word: string, names: readonly N[]): N | undefined {
  const said = word.toLowerCase();
  return names.find((name) => isOneSlipAway(said, name));
}

function isOneSlipAway(said: string, name: string): boolean {
  if (
    said.startsWith(name) ||
    Math.min(said.length, name.length) < 4 ||
    Math.abs(said.length - name.length) > 1
  )
    return false;
  const same = commonStart(said, name);
  const [rest, meant] = [said.slice(same), name.slice(same)];
  if (said.length > name.length) return rest.slice(1) === meant;
  if (said.length < name.length) return meant.slice(1) === rest;
  const isReplaced = name.length > 4 && rest.slice(1) === meant.slice(1);
  return isReplaced || `${rest[1] ?? ''}${rest[0] ?? ''}${rest.slice(2)}` === meant;
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
