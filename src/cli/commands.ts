import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { suggestionFor } from '../config/suggestion.ts';
import { UsageError } from './arguments.ts';
import { check } from './check.ts';
import { doctor } from './doctor.ts';
import { init } from './init.ts';
import { makeKey } from './key.ts';
import { seal } from './seal.ts';
import { serve } from './serve.ts';
import { setUp } from './set-up.ts';

const help = `Coxswain: steer coding agents from the pull request.

  coxswain init    set up your own repository: writes its configuration and its workflow
  coxswain setup   register your own App on GitHub; writes .env and the private key
  coxswain check   check a configuration, with all its problems at once
  coxswain serve   run the App (configured by the environment, or by .env in this folder)
  coxswain doctor  look at the App's settings, permissions and webhook, and at the rules of repositories
  coxswain key     make a key that seals the App's ledgers
  coxswain seal    list the ledgers that the current key has not sealed, and seal them
  coxswain demo    a small GitHub, the App and a scripted agent on this machine

Each command has --help; --version prints the version.
`;

const commands: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  init,
  setup: setUp,
  check,
  serve,
  doctor,
  key: makeKey,
  seal,
  // Loaded on demand: it contains the forge, which `serve` does not need.
  demo: async (argv) => (await import('./demo/demo.ts')).runDemo(argv),
};

/** Runs one command; the number is the exit code. An error is printed as one line, without a stack trace. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = argv;
  if (name === '--version' || name === '-v' || name === 'version') return print(`${version()}\n`);
  if (name === 'help' && rest[0] !== undefined) return runCommand([rest[0], '--help']);
  if (name === '--help' || name === '-h' || name === 'help') return print(help);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stderr.write(unknownCommand(name));
    return 2;
  }
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(endOnClosedPipe)) stream.on('error', endOnClosedPipe);
  try {
    return await command(rest);
  } catch (fault) {
    const called = name === 'demo' ? 'npm start --' : `coxswain ${name}`;
    const usage = fault instanceof UsageError ? `\`${called} --help\` lists what it takes.\n` : '';
    process.stderr.write(`coxswain ${name}: ${reasonOf(fault)}\n${usage}`);
    return fault instanceof UsageError ? 2 : 1;
  }
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

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function unknownCommand(name: string): string {
  const meant = suggestionFor(name, Object.keys(commands));
  const hint = meant === undefined ? '' : ` Did you mean \`coxswain ${meant}\`?`;
  return `There is no command ${JSON.stringify(name)}.${hint}\n\n${help}`;
}

/** As in the package, which is two folders above both the source and what is built from it. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version: found }: { version: string } = JSON.parse(text);
  return found;
}

function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const { message, cause } = fault;
  // Some messages quote their cause.
  const isNew = cause instanceof Error && !message.includes(cause.message);
  return isNew ? `${message}: ${reasonOf(cause)}` : message;
}
