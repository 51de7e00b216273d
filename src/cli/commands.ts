import { readFileSync } from 'node:fs';
import { doctor } from './doctor.ts';
import { makeKey } from './key.ts';
import { seal } from './seal.ts';
import { serve } from './serve.ts';
import { setUp } from './set-up.ts';

const help = `Coxswain: steer coding agents from the pull request.

  coxswain setup   register your own App on GitHub; writes .env and the private key
  coxswain serve   run the App (configured by the environment, or by .env in this folder)
  coxswain doctor  look at the App's settings, permissions and webhook, and at the rules of repositories
  coxswain key     make a key that seals the App's ledgers
  coxswain seal    list the ledgers that the current key has not sealed, and seal them
  coxswain demo    a small GitHub, the App and a scripted agent on this machine

Each command has --help; --version prints the version.
`;

const commands: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  setup: setUp,
  serve,
  doctor,
  key: makeKey,
  seal,
  // Loaded on demand: it contains the forge, which `serve` does not need.
  demo: async (argv) => (await import('./demo/demo.ts')).runDemo(argv),
};

/** Runs one command; the number is the exit code. An error is printed as one line, without a stack trace. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === '--version') {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const command = name === undefined ? undefined : commands[name];
  if (command === undefined) {
    const isHelp = name === undefined || name === 'help' || name === '--help';
    process.stderr.write(isHelp ? help : `There is no command ${JSON.stringify(name)}.\n\n${help}`);
    return isHelp ? 0 : 2;
  }
  try {
    return await command(rest);
  } catch (fault) {
    process.stderr.write(`coxswain ${name}: ${reasonOf(fault)}\n`);
    return 1;
  }
}

/** As in the package, which is two folders above both the source and what is built from it. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version: found }: { version: string } = JSON.parse(text);
  return found;
}

function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return fault.cause instanceof Error ? `${fault.message}: ${reasonOf(fault.cause)}` : fault.message;
}
