import type { Limits, RaisableLimit } from '../shapes/limits.ts';
import type { Role } from '../shapes/people.ts';
import type { SpawnedTask, TaskChanges } from '../shapes/task.ts';

/** A slash command and what follows it: `line` to the end of its line, `body` to the end of the comment. */
export interface SlashCommand {
  readonly word: string;
  readonly line: string;
  readonly body: string;
}

interface Named {
  readonly type: string;
}

/** One command: its grammar, its help, who may use it, and how the page offers it. */
export interface CommandSpec<C extends Named> {
  readonly usage: string;
  readonly summary: string;
  /** The role it requires, where `approval.by` does not decide. */
  readonly needs: Role;
  /** Letting work reach the branch, or an agent do or spend more, is as much a decision as approving is. */
  readonly followsApproval?: true;
  /** Its comment is not read once more before it is taken up. */
  readonly startsNoWork?: true;
  /** What a use of it requires that goes further: the role, and what it is for. */
  needsMore?(command: C): { readonly role: Role; readonly why: string } | undefined;
  /** How the page offers it: at one click, or only after something else. */
  readonly button?: { readonly label: string; readonly after?: 'reason' | 'confirmation' };
  /** The form on the page that comes to its comment: what leads to it, what stands at its top. */
  readonly form?: {
    readonly title: string;
    readonly note: string;
    readonly of: 'reason' | 'task' | 'tasks';
  };
  /** Everything that follows is its text, so that no second command can follow. */
  readonly takesRest?: true;
  /** It only asks for something, and is answered in the same way in every phase. */
  readonly isQuery?: true;
  /** What a plain use of it says after its name: whether it would be refused is foreseen by trying that. */
  readonly example: string;
  /** Whether it is refused depends on what is said, of which the example tells nothing. */
  readonly wordsDecide?: true;
  /** `problem` says what is wrong with the input; the reply adds the usage. */
  parse(given: SlashCommand, readTasks: ReadTasks): C | Problem;
  /** Whether such a refusal of its example means that it is not available at all, whoever says it. */
  pointless?(refusal: { readonly why: string }, run: ReadRun): boolean;
  /** What follows its name in a comment, which `parse` reads again; absent where that is a block of tasks. */
  print?(command: C): string;
  /** What such a block says, a document each; if they say nothing, there is none. */
  tasks?(command: C): readonly WrittenTask[];
}

/** What only one command is refused with, and replies: by `why` or `say`, the text for what else is known. */
export interface OwnTexts {
  readonly refusals?: Readonly<Record<string, (facts: never, wording: Wording) => string>>;
  readonly replies?: Readonly<Record<string, (facts: never, wording: Wording, run: ReadRun) => string>>;
}

/**
 * Of a specification, what others derive from: a call for the command's type, and one for the rest, because
 * TypeScript infers either all of a function's types or none.
 */
export function command<C extends Named>() {
  return <S extends CommandSpec<C> & OwnTexts>(spec: S): CommandSpec<C> & Derived<S> => spec;
}

type Derived<S> = Pick<S, Extract<keyof S, 'refusals' | 'replies' | 'isQuery' | 'form'>>;

/** How names and other texts become harmless where they are read, and what a refusal may suggest. */
export interface Wording {
  /** A name, a path or a command. */
  code(text: string): string;
  /** What somebody has written, on one line. */
  plain(text: string, max?: number): string;
  /** Such as `4.20 USD`. */
  amount(limit: RaisableLimit, amount: number): string;
  /** The address of what has changed between two commits. */
  compare(from: string, to: string): string;
  /** The address of the checks of a pull request. */
  checks(number: number): string;
  /** What the reader can say now, in a sentence. */
  now(but?: string): string;
  /** The names of the commands that the reader can say now. */
  readonly possible: readonly string[];
}

/** What a command reads of its run; a state has more. */
export interface ReadRun {
  readonly standing: { readonly phase: string };
  readonly run: { readonly issue: number | null };
  readonly iteration: number;
  readonly settings: { readonly limits: Limits };
}

export interface Problem {
  readonly problem: string;
}

/** What commands without arguments have in common. */
export function alone<N extends string>(name: N) {
  return {
    ...{ usage: `/${name}`, example: '' },
    parse: (given: SlashCommand) => nothingElse(given, { type: name }),
  };
}

/** A command with which people may say why. */
export interface Reasoned<N> {
  readonly type: N;
  /** Empty if no reason was given. */
  readonly reason: string;
}

/** What such commands have in common. */
export function withReason<N extends string>(name: N) {
  return {
    ...{ usage: `/${name} [why]`, example: '' },
    parse: ({ body }: SlashCommand): Reasoned<N> => ({ type: name, reason: body }),
    print: ({ reason }: Reasoned<N>) => reason,
  };
}

/** For commands without arguments: anything that follows is reported as a mistake. */
export function nothingElse<C>(given: SlashCommand, command: C): C | Problem {
  return given.line === ''
    ? command
    : { problem: `\`/${given.word}\` takes no arguments, got \`${firstWord(given.line)}\`` };
}

function firstWord(line: string): string {
  return line.split(/\s+/, 1)[0] ?? '';
}

/** A document of a block that describes a task. */
export type WrittenTask = TaskChanges &
  Partial<Pick<SpawnedTask, 'name' | 'carry'>> & {
    /** The id of the task that it changes or replaces. */
    readonly task_id?: string;
    /** The id of the interrupt that the block was made for. */
    readonly interrupt?: string;
  };

/**
 * The tasks that the block in a text describes, at least one; undefined if there is no block. `problem` lists
 * everything that is wrong with it.
 */
export type ReadTasks = (text: string) => { readonly tasks: readonly WrittenTask[] } | Problem | undefined;

/** The task of a block that has to be about one; `problem` says why it is not. */
export function oneTask(tasks: readonly WrittenTask[]): WrittenTask | Problem {
  const [task, ...more] = tasks;
  if (task === undefined || more.length > 0)
    return { problem: `expected one task, got ${tasks.length}; \`/spawn\` takes several` };
  const name = task.depends_on?.find((each) => !each.startsWith('#'));
  return name === undefined
    ? task
    : {
        problem: `no task in the same block has the name \`${name}\`: expected the number of an issue, such as \`depends_on: [12]\``,
      };
}
