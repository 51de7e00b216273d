import { argumentsOf, names, valuesOf } from '../arguments/options.ts';
import type { Command } from '../shell/command.ts';

/** Programs that fetch a package from wherever they are told, and run it or its set-up. */

interface Fetching {
  readonly programs: readonly string[];
  /** The alternatives for each word of its subcommand. */
  readonly words?: readonly (readonly string[])[];
  /** Options with a value. */
  readonly takes: string;
  /** Those of them that name a package. */
  readonly from: readonly string[];
  /** What follows the first operand is for the tool that runs. */
  readonly runs: boolean;
}

const npm = { takes: '-p --package -c --call -w --workspace', from: ['-p', '--package'], runs: true };
const uv = { takes: '--from --with --python -p --index-url -i', from: ['--from', '--with'], runs: true };
const pip = {
  takes: `
    -i --index-url --extra-index-url --index -f --find-links --trusted-host --proxy -c --constraint -r
    --requirement -e --editable -t --target --python -p --prefix --root --cert
  `,
  from: ['-r', '--requirement', '-e', '--editable'],
  runs: false,
};

const fetching: readonly Fetching[] = [
  { programs: ['npx', 'bunx', 'pnpx'], ...npm },
  { programs: ['npm', 'pnpm', 'yarn', 'bun'], words: [['exec', 'dlx', 'x']], ...npm },
  { programs: ['uvx'], ...uv },
  { programs: ['uv'], words: [['tool'], ['run', 'install']], ...uv },
  { programs: ['pipx'], words: [['run', 'install']], takes: '--spec --python', from: ['--spec'], runs: true },
  { programs: ['pip', 'pip3'], words: [['install', 'wheel']], ...pip },
  { programs: ['uv'], words: [['pip'], ['install']], ...pip },
];

/** `npx github:a/b`, `uvx --from git+https://… tool`, `pip install 'a @ git+https://…'`. */
export function fetchesPackage({ program, args }: Command): boolean {
  return fetching.some(({ programs, words = [], takes, from, runs }) => {
    const isCalled = words.every((word, index) => word.includes(args[index] ?? ''));
    if (!programs.includes(program) || !isCalled) return false;
    const own = args.slice(words.length);
    const given = argumentsOf(runs ? upToTool(own, names(takes)) : own, { takes: names(takes) });
    return [...given.operands, ...valuesOf(given, ...from)].some(isElsewhere);
  });
}

function upToTool(args: readonly string[], takes: ReadonlySet<string>): readonly string[] {
  const tool = args.findIndex((argument, index) => {
    return !argument.startsWith('-') && !takes.has(args[index - 1] ?? '');
  });
  return tool < 0 ? args : args.slice(0, tool + 1);
}

/** By an address or a repository, not by a name in a registry. */
function isElsewhere(named: string): boolean {
  return /^(?:[\w.[\],-]+\s*@\s*)?(?:https?:|git\+|git:|git@|ssh:|(?:github|gitlab|bitbucket|gist):)/.test(
    named,
  );
}
