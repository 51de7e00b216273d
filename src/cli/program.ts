import { constants } from 'node:os';
import { Command, CommanderError, Help } from 'commander';
import type { ActionCommand } from '../steering/commands/index.ts';
import { visible } from '../text/characters.ts';
import { ownPackage } from './own-package.ts';
import type { CommandFile } from './terminal/command-file.ts';
import { Ended, exitCodes, UsageError } from './terminal/exit.ts';

interface Row {
  readonly summary: string;
  load(): Promise<CommandFile>;
}

/** What a person says on a run. */
const acts: Readonly<Record<string, Row>> = Object.fromEntries(
  Object.entries({
    steer: 'tell the agent what to do differently',
    approve: 'approve the commit, plan or stage under review',
    reject: 'reject the work with a reason, and close it',
    answer: 'answer the question of the agent',
    allow: 'let the agent do what it asks for',
    deny: 'keep the agent from what it asks for',
    dismiss: 'settle a concern of the second opinion',
    verify: 'run the verifiers again, without the agent',
    undo: 'go back to the result of an earlier iteration',
    update: 'merge the base into the branch',
    pause: 'hold the run where it stands',
    resume: 'continue a run that is paused or timed out',
    interrupt: 'stop the run, and have people decide how to go on',
    retry: 'try a failed task again, with other words if you like',
    spawn: 'replace a failed task by other ones',
    abandon: 'give a failed task up',
    extend: 'let the run have more iterations',
    budget: 'raise a limit of the run',
    cancel: 'stop the run for good, and close it',
  } satisfies Readonly<Record<Exclude<ActionCommand, 'run'>, string>>).map(([name, summary]) => {
    // Object.entries loses that its keys are those of the object.
    const load = async () =>
      (await import('./commands/steering-commands.ts')).actFile(name as Exclude<ActionCommand, 'run'>);
    return [name, { summary, load }];
  }),
);

const oneRun = () => import('./reading/one-run.ts');
const lists = () => import('./reading/lists.ts');

/** Every command, as help lists them. Each is loaded only when it is called: the demo contains the forge. */
const groups: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'Steer a run:': {
    run: {
      summary: 'begin a run, with an issue of its own or one that is there',
      load: async () => (await import('./commands/run-command.ts')).run,
    },
    ...acts,
    resolve: {
      summary: 'end an interrupt: retry, spawn or abandon',
      load: async () => (await import('./commands/steering-commands.ts')).resolve,
    },
  },
  'See a run:': {
    inbox: { summary: 'the runs that wait for people', load: async () => (await lists()).inbox },
    watch: {
      summary: 'a run, or all that wait, as it goes on',
      load: async () => (await import('./watch/watch-command.ts')).watch,
    },
    runs: { summary: 'the runs that have not ended', load: async () => (await lists()).runs },
    status: { summary: 'where a run stands', load: async () => (await oneRun()).status },
    why: { summary: 'what it is missing, and how sure it is', load: async () => (await oneRun()).why },
    diff: { summary: 'what it has changed', load: async () => (await oneRun()).diff },
    logs: { summary: 'what its verifiers printed', load: async () => (await oneRun()).logs },
    history: { summary: 'what has happened to it', load: async () => (await oneRun()).history },
    audit: { summary: 'who has settled what of it', load: async () => (await oneRun()).audit },
    export: { summary: 'the whole run as JSON', load: async () => (await oneRun()).exportRun },
    prune: {
      summary: 'delete the ledgers of runs that ended long ago',
      load: async () => (await import('./reading/prune.ts')).prune,
    },
  },
  'Set up and run Coxswain:': {
    init: {
      summary: 'set up your own repository: write its configuration and its workflow',
      load: async () => (await import('./init.ts')).init,
    },
    setup: {
      summary: 'register your own App on GitHub; write .env and the private key',
      load: async () => (await import('./set-up.ts')).setUp,
    },
    check: {
      summary: 'check a configuration, with all its problems at once',
      load: async () => (await import('./check-command.ts')).check,
    },
    serve: {
      summary: 'run the App (configured by the environment, or by .env in this folder)',
      load: async () => (await import('./serve.ts')).serve,
    },
    doctor: {
      summary: "look at the App's settings, permissions and webhook, and at repositories",
      load: async () => (await import('./doctor.ts')).doctor,
    },
    notify: {
      summary: 'list where runs may notify people, and try whether messages arrive',
      load: async () => (await import('./notify-command.ts')).notify,
    },
    key: {
      summary: "make a key that seals the App's ledgers",
      load: async () => (await import('./key.ts')).makeKey,
    },
    seal: {
      summary: 'list the ledgers that the current key has not sealed, and seal them',
      load: async () => (await import('./seal-command.ts')).seal,
    },
    demo: {
      summary: 'a small GitHub, the App and a scripted agent on this machine',
      load: async () => (await import('./demo/demo.ts')).demo,
    },
  },
};

export const programNames = Object.values(groups).flatMap((rows) => Object.keys(rows));

/** Runs one command; the number is the exit code. An error is printed as one line, without a stack trace. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [first = '--help', ...rest] = argv;
  if (first === 'help') return runCommand([...rest.slice(0, 1), '--help']);
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(endOnClosedPipe)) stream.on('error', endOnClosedPipe);
  if (['--version', '-v', 'version'].includes(first)) {
    process.stdout.write(`${ownPackage().version}\n`);
    return exitCodes.done;
  }
  let code: number = exitCodes.done;
  try {
    const program = await programWith(first, async (running) => {
      code = await running;
    });
    await program.parseAsync([first, ...rest], { from: 'user' });
    return code;
  } catch (fault) {
    return await endedBy(fault, first);
  }
}

/** The program, in which only the command of this name is complete: the others are loaded for nobody. */
async function programWith(
  name: string,
  report: (running: Promise<number>) => Promise<void>,
): Promise<Command> {
  const program = new Command('coxswain')
    .description('Coxswain: steer coding agents from the pull request.')
    .usage('<command> [options]')
    .option('-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this, or what a command takes')
    .helpCommand(false)
    .addHelpText('after', '\nEach command has --help, with examples.')
    .configureHelp({ minWidthToWrap, formatItem })
    .exitOverride()
    // What went wrong is said once, by `endedBy`.
    .configureOutput({ outputError: () => undefined });
  for (const [group, rows] of Object.entries(groups))
    for (const [each, { summary, load }] of Object.entries(rows)) {
      const command = program.command(each).summary(summary).helpGroup(group);
      if (each === name) complete(command, await load(), report);
    }
  return program;
}

function complete(
  command: Command,
  { about, examples, more = [], ...file }: CommandFile,
  report: (running: Promise<number>) => Promise<void>,
): void {
  command.description(about).helpOption('-h, --help', 'print this');
  file.takes?.(command);
  command.addHelpText('after', () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    const rows = more.map(
      ([name, what]) => `\n${indented(name, '  ', width)}${indented(what, '      ', width)}`,
    );
    const lines = Object.entries(examples).map(
      ([line, what]) => `${indented(what, '  # ', width)}  $ coxswain ${line}\n`,
    );
    return `${rows.join('')}\nExamples:\n${lines.join('')}`;
  });
  command.action(() => report(file.run(command.opts(), ...command.args)));
}

/** Breaks the text into lines of at most this width, each after the same beginning. */
function indented(text: string, beginning: string, width: number): string {
  const help = Object.assign(new Help(), { minWidthToWrap });
  return help
    .boxWrap(text, width - beginning.length)
    .replaceAll(/^/gm, beginning)
    .concat('\n');
}

/** An option or a command beside what it is for, or above that where the terminal is narrow. */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const { helpWidth = 80 } = helper;
  if (helpWidth < 60 && description !== '')
    return `  ${term}\n${indented(description, '      ', helpWidth).trimEnd()}`;
  const usual = Object.assign(new Help(), { helpWidth, minWidthToWrap });
  return usual.formatItem(term, termWidth, description, usual);
}

/** Below it, texts are left to the terminal. */
const minWidthToWrap = 20;

/** Prints why a command ended as it did; the number is the exit code. */
async function endedBy(thrown: unknown, name: string): Promise<number> {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.done;
  const isOurs = thrown instanceof CommanderError || thrown instanceof Ended;
  // What knows the faults of GitHub takes time to load.
  const known = isOurs ? undefined : (await import('./terminal/github-faults.ts')).endOfFault(thrown);
  const fault = known ?? thrown;
  const isMisuse = fault instanceof CommanderError || fault instanceof UsageError;
  const isKnown = programNames.includes(name);
  const called = name === 'demo' ? 'npm start --' : isKnown ? `coxswain ${name}` : 'coxswain';
  const usage = isMisuse ? `\`${called} --help\` lists what it takes.\n` : '';
  process.stderr.write(visible(`coxswain${isKnown ? ` ${name}` : ''}: ${reasonOf(fault)}\n${usage}`));
  if (isMisuse) return exitCodes.misuse;
  return fault instanceof Ended ? fault.code : exitCodes.refused;
}

/**
 * Whoever reads what we print, such as `head`, has seen enough. A command that has to clean up is told as if its
 * terminal were closed; `SIGPIPE` itself would also come from every other connection that breaks.
 */
function endOnClosedPipe(fault: NodeJS.ErrnoException): void {
  if (fault.code !== 'EPIPE') throw fault;
  if (isPipeClosed) return;
  isPipeClosed = true;
  if (!process.emit('SIGHUP', 'SIGHUP')) process.exit(128 + constants.signals.SIGPIPE);
}

let isPipeClosed = false;

function reasonOf(fault: unknown): string {
  if (fault instanceof CommanderError) return fault.message.replace(/^error: /, '').replaceAll('\n', ' ');
  if (!(fault instanceof Error)) return String(fault);
  const { message, cause } = fault;
  // Some messages quote their cause.
  const isNew = cause instanceof Error && !message.includes(cause.message);
  return isNew ? `${message}: ${reasonOf(cause)}` : message;
}
