import { readFileSync } from 'node:fs';
import type { Command as CommandLine } from 'commander';
import { readTaskDocuments } from '../../config/tasks/task-documents.ts';
import { isForMany } from '../../doors/speech/batch.ts';
import { heardText } from '../../doors/speech/compose-comment.ts';
import {
  type ActionCommand,
  type Command,
  type CommandName,
  type CommandOf,
  commandSpecs,
} from '../../steering/commands/index.ts';
import type { ReadTasks } from '../../steering/commands/spec.ts';
import type { Filters } from '../reading/lists.ts';
import type { CommandFile } from '../terminal/command-file.ts';
import { outputOption, runOption } from '../terminal/command-output.ts';
import { Ended, exitCodes, UsageError } from '../terminal/exit.ts';
import { runName } from '../terminal/which-run.ts';
import { type BatchOptions, batchOptions, settleAll } from './batch.ts';
import { approveCommand, approveConfirmed } from './confirm-approval.ts';
import { type Act, type ActingOptions, act, type Seen, waitingOptions } from './say-command.ts';

/** What somebody may say with options; each command takes some of them. */
interface Fields extends ActingOptions, Filters, Pick<BatchOptions, 'max'> {
  readonly all?: boolean;
  readonly prompt?: string;
  readonly now?: boolean;
  readonly with?: string;
  readonly sha?: string;
  readonly despite?: readonly string[];
  readonly yes?: boolean;
  readonly message?: string;
  readonly question?: string;
  readonly file?: string;
  readonly ci?: boolean;
  readonly resolve?: boolean;
}

/** A command of a run as the terminal takes it. */
interface Row<C extends Command> {
  /** What it takes besides what all of them do. */
  takes?(command: CommandLine): unknown;
  readonly examples: Readonly<Record<string, string>>;
  /** Throws `UsageError`. */
  says(fields: Fields, operands: readonly string[], seen: Seen): C;
  confirm?(fields: Fields, seen: Seen): Promise<void>;
  hint?(seen: Seen): string;
}

const reasoned = <N extends 'abandon' | 'deny' | 'interrupt' | 'pause'>(type: N, why: string) => ({
  takes: (command: CommandLine) => messageOption(command, 'why'),
  examples: { [`${type} -m ${JSON.stringify(why)}`]: 'with a reason' },
  says: ({ message = '' }: Fields) => ({ type, reason: textFrom(message) }),
});

const alone = <N extends 'cancel' | 'resume'>(type: N, what: string) => ({
  examples: { [type]: what },
  says: () => ({ type }),
});

const ofBranch = 'the run of the branch that is checked out';

/** Says how the terminal takes each of them; `run` is left out, because it begins a run. */
const rows: { readonly [N in Exclude<ActionCommand, 'run'>]: Row<CommandOf<N>> } = {
  steer: {
    takes: (command) =>
      command
        .argument('[text...]', 'what to do differently, if not with -p')
        .option('-p, --prompt <text>', 'what to do differently; - reads it from stdin')
        .option('--now', 'tell the agent while it works')
        .option('--with <agent>', 'hand the work to another agent'),
    examples: {
      'steer -p "Round to whole cents"': ofBranch,
      'steer --now --with codex -p - < review.txt': 'at once, by another agent, with a text from a file',
    },
    says: ({ prompt, now = false, with: agent }, operands) => ({
      type: 'steer',
      prompt: wordsFrom(prompt, operands, '-p'),
      now,
      ...(agent !== undefined && { with: agent }),
    }),
    hint: ({ place }) => `Watch it: coxswain watch --run ${runName(place)}`,
  },
  approve: {
    takes: (command) =>
      command
        .option('--sha <commit>', 'approve only if this is the head')
        .option('--despite <verifier...>', 'override failing verifiers')
        .option(
          '-y, --yes',
          'ask nothing; needed without a terminal, where a change of high risk also needs --sha',
        ),
    examples: {
      approve: 'shows head, changes, verifiers and risk, and asks',
      'approve --all --repo acme/api --risk low': 'all that wait in one repository',
      'approve --run acme/api#7 --yes --sha 0123abc': 'in a script',
    },
    says: (fields, _, seen) => approveCommand(fields, seen),
    confirm: approveConfirmed,
  },
  answer: {
    takes: (command) =>
      command
        .argument('[text...]', 'the answer, or the number of an option, if not with -p')
        .option('-p, --prompt <text>', 'the answer; - reads it from stdin')
        .option('--question <id>', 'which question, if there are several'),
    examples: { 'answer 2': 'chooses an option', 'answer -p "Half up"': 'in your own words' },
    says: ({ prompt, question }, operands) => ({
      type: 'answer',
      text: wordsFrom(prompt, operands, '-p'),
      ...(question !== undefined && { question }),
    }),
  },
  allow: {
    takes: (command) => command.argument('[scope]', 'once or always', 'once'),
    examples: { allow: 'what is asked now', 'allow always': 'and what the same rules would stop later' },
    says: (_, operands) => parsed('allow', operands),
  },
  deny: reasoned('deny', 'CI must not change'),
  reject: {
    takes: (command) =>
      messageOption(command.argument('[reason...]', 'why, if not with -m'), 'why, which is required'),
    examples: { 'reject -m "It solves another problem"': `closes ${ofBranch}` },
    says: ({ message }, operands) => ({ type: 'reject', reason: wordsFrom(message, operands, '-m') }),
  },
  cancel: alone('cancel', `stops ${ofBranch}`),
  retry: {
    takes: tasksOptions,
    examples: {
      retry: 'once more',
      'retry -f task.yaml': 'with another task',
      'retry --all --yes': 'all that failed, as after an outage of the model',
    },
    says: (fields) => taskCommand('retry', fields),
  },
  spawn: {
    takes: tasksOptions,
    examples: {
      'spawn -p "Only the parser"': 'one task in place of the failed one',
      'spawn -f tasks.yaml': 'one to ten of them, documents of one file',
    },
    says: (fields) => taskCommand('spawn', fields),
  },
  abandon: reasoned('abandon', 'The customer left'),
  undo: {
    takes: (command) => command.argument('[n]', 'the iteration to go back to (default: the one before)'),
    examples: { 'undo 1': 'back to the result of iteration 1' },
    says: (_, operands) => parsed('undo', operands),
  },
  update: {
    takes: (command) => command.option('--resolve', 'let the agent resolve conflicts'),
    examples: {
      update: `brings ${ofBranch} up to date`,
      'update --resolve': 'and the agent resolves conflicts',
    },
    says: ({ resolve }) => ({ type: 'update', ...(resolve && { resolve }) }),
  },
  interrupt: reasoned('interrupt', 'The design has changed'),
  pause: reasoned('pause', 'Wait for the release'),
  resume: alone('resume', 'continues where it was paused or timed out'),
  extend: {
    takes: (command) => command.argument('[n]', 'how many iterations more', '5'),
    examples: { 'extend 3': 'three iterations more' },
    says: (_, operands) => parsed('extend', operands),
  },
  budget: {
    takes: (command) => command.argument('<amount...>', 'how much more, such as +5 usd'),
    examples: { 'budget +5 usd': 'five dollars more', 'budget +500k tokens': 'more tokens' },
    says: (_, operands) => parsed('budget', operands),
  },
  verify: {
    takes: (command) => command.option('--ci', 'start the CI of the repository, too'),
    examples: { verify: 'the verifiers once more on the head' },
    says: ({ ci }) => ({ type: 'verify', ...(ci && { ci }) }),
  },
  dismiss: {
    takes: (command) =>
      messageOption(command.argument('<concern>', 'its id, such as c2'), 'what the reviewer is told'),
    examples: { 'dismiss c2 -m "This is intended"': 'settles a concern of the second opinion' },
    says: ({ message = '' }, [concern = '']) => ({
      type: 'dismiss',
      concern: concern.toLowerCase(),
      reason: textFrom(message),
    }),
  },
};

/** The command line of what the table has under this name. */
export function actFile(name: keyof typeof rows): CommandFile<Fields> {
  const { usage, summary } = commandSpecs[name];
  const row = rowOf(name);
  return {
    about: `${summary} It posts \`${usage.split(' ')[0]}\` as you, and waits until Coxswain has taken it up.`,
    examples: row.examples,
    takes: (command) => {
      row.takes?.(command);
      commonOptions(command);
      if (isForMany(name)) batchOptions(command);
    },
    run: (fields, ...operands) => {
      const doing = acting(name, fields, operands);
      if (!fields.all || !isForMany(name)) return act(fields, doing);
      const alone = (['run', 'sha', 'despite', 'prompt', 'file'] as const).find((each) => fields[each]);
      if (alone !== undefined) throw new UsageError(`--${alone} is for one run, and --all for many`);
      return settleAll(fields, { ...doing, action: name });
    },
  };
}

/** `coxswain resolve`: ends an interrupt, in the words of those who have one. */
export const resolve: CommandFile<Fields> = {
  about:
    'Ends an interrupt: the task is tried once more, replaced by others, or given up. `coxswain why` says why it ' +
    'was interrupted.',
  takes: (command) => {
    command.argument('<action>', 'retry, spawn (or spawn_new_task) or abandon');
    tasksOptions(command);
    messageOption(command, 'with abandon: why');
    commonOptions(command);
  },
  examples: {
    'resolve retry -p "Take the clock of the server"': 'tries again, with another description',
    'resolve spawn -f tasks.yaml': 'replaces the task',
    'resolve abandon -m "Not worth it"': 'gives it up',
  },
  run: (fields, action = '') => {
    const name = action === 'spawn_new_task' ? 'spawn' : action;
    if (name !== 'retry' && name !== 'spawn' && name !== 'abandon')
      throw new UsageError(`<action> is ${JSON.stringify(action)}: expected retry, spawn or abandon`);
    const doing = acting(name, fields, []);
    const command = (seen: Seen) => {
      if (seen.report?.interrupt) return doing.command(seen);
      throw new Ended(
        exitCodes.refused,
        `${runName(seen.place)} is not interrupted: there is nothing to resolve`,
      );
    };
    return act(fields, { ...doing, command });
  },
};

function acting(name: keyof typeof rows, fields: Fields, operands: readonly string[]): Act {
  const { says, confirm, hint } = rowOf(name);
  return {
    action: name,
    command: (seen) => says(fields, operands, seen),
    ...(confirm && { confirm: (seen: Seen) => confirm(fields, seen) }),
    ...(hint && { hint }),
  };
}

/** What all rows have in common, whichever command they say. */
function rowOf(name: keyof typeof rows): Row<Command> {
  return rows[name];
}

function commonOptions(command: CommandLine): void {
  runOption(command);
  waitingOptions(outputOption(command), '30s');
}

function messageOption(command: CommandLine, what: string): CommandLine {
  return command.option('-m, --message <text>', `${what}; - reads it from stdin`);
}

function tasksOptions(command: CommandLine): CommandLine {
  return command
    .option('-p, --prompt <text>', 'the description of the task; - reads it from stdin')
    .option('-f, --file <file>', 'the task as YAML, as docs/tasks.md describes it; - is stdin');
}

function taskCommand<N extends 'retry' | 'spawn'>(name: N, { prompt, file }: Fields): CommandOf<N> {
  if (prompt !== undefined && file !== undefined)
    throw new UsageError('either -p or -f says what the task is');
  if (file !== undefined) return parsedWith(name, '', () => readTaskDocuments(contentOf(file)));
  if (prompt === undefined && name === 'spawn')
    throw new UsageError('it needs a task, as in -p "Only the parser" or -f tasks.yaml');
  if (prompt === undefined) return parsed(name, []);
  const task = { description: wordsFrom(prompt, [], '-p') };
  return parsedWith(name, '', () => ({ tasks: [task] }));
}

function parsed<N extends CommandName>(name: N, operands: readonly string[]): CommandOf<N> {
  return parsedWith(name, operands.join(' '), () => undefined);
}

/** What a command takes is said in its own grammar, so that it means the same here as in a comment. */
function parsedWith<N extends CommandName>(name: N, text: string, readTasks: ReadTasks): CommandOf<N> {
  const read = commandSpecs[name].parse({ word: name, line: text, body: text }, readTasks);
  if ('problem' in read) throw new UsageError(read.problem);
  // Each grammar reads only its own command.
  return read as CommandOf<N>;
}

/** Takes the text that an option gives, or else what stands after the command. */
function wordsFrom(option: string | undefined, operands: readonly string[], name: string): string {
  if (option !== undefined && operands.length > 0)
    throw new UsageError(`${name} has the text, so ${JSON.stringify(operands.join(' '))} is too much`);
  const text = textFrom(option ?? operands.join(' '));
  if (text !== '') return text;
  throw new UsageError(`it needs words: write them behind the command, or after ${name}`);
}

function textFrom(given: string): string {
  return heardText(given === '-' ? contentOf(given) : given);
}

/** Reads a file, or stdin where `-` is named. */
export function contentOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new Error(`could not read ${file === '-' ? 'stdin' : file}`, { cause });
  }
}
