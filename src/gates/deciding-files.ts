import type { Command } from './commands/command.ts';
import { normalized } from './commands/paths.ts';
import { follow } from './commands/walk.ts';

/**
 * The files of a repository that decide what a command line does: scripts that it starts, directly or through
 * an interpreter, and configuration that its options name. By their paths from the repository's root; a line
 * that changes folders may mean one below each of these.
 */
export function decidingFiles(line: string): readonly string[] {
  const folders = [''];
  const named: string[] = [];
  follow(line, {
    command: (command) => {
      const { program, args } = command;
      if (changesFolder.has(program)) folders.push(...args.filter((each) => !each.startsWith('-')));
      else named.push(...scriptsIn(command), ...configurationsIn(command));
    },
    finds: () => undefined,
  });
  const paths = folders.flatMap((folder) => named.map((name) => normalized(`${folder}/${name}`)));
  return [...new Set(paths.filter((path) => path !== ''))];
}

const changesFolder = new Set(['cd', 'pushd']);

function scriptsIn({ program, path, args, file }: Command): readonly string[] {
  const own = path.includes('/') && !path.startsWith('/') ? [path] : [];
  if (isOnlyRead(program, args)) return own;
  if (program === 'python' && args[0] === '-m') return [...own, ...ofModule(args[1] ?? '')];
  if (file === undefined) return own;
  const files = args.filter(isFile);
  const script = files.findIndex((each) => isScript.test(each));
  // Before it come files of options; what follows are the script's own arguments.
  if (script >= 0) return [...own, ...files.slice(0, script + 1)];
  return isShell.test(program) || isFile(file) ? [...own, file] : own;
}

/** Options with which an interpreter only checks a file: it is what is judged, and not what judges. */
const reading: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^node$/, /^(?:-c|--check)$/],
  [/^(?:ruby|perl)$/, /^-[a-zA-Z]*c$/],
  [/^php$/, /^(?:-l|--syntax-check)$/],
  [/^\w{0,4}sh$/, /^-[a-z]*n[a-z]*$/],
];

function isOnlyRead(program: string, args: readonly string[]): boolean {
  const before = args.slice(
    0,
    args.findIndex((each) => !each.startsWith('-')),
  );
  return reading.some(([name, option]) => name.test(program) && before.some((each) => option.test(each)));
}

const isScript = /\.(?:[cm]?[jt]sx?|pyw?|rb|pl|php|lua|r|ps1|groovy|tcl|exp|awk|bats)$/i;

/** A shell runs a file whatever its name is. */
const isShell = /^(?:\w{0,4}sh|\.|source)$/;

/** `tools.check` is a file or a folder of Python's. */
function ofModule(module: string): readonly string[] {
  const path = module.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`];
}

const configures =
  /^(?:-[cfp]|--(?:config|conf|configuration|configfile|file|makefile|project|rcfile|settings))$/;

/** Their `-c`, `-f` and `-p` name no configuration: `test -f price.txt` looks at what the work is to make. */
const fileUtilities = new Set(
  `test [ [[ cat cmp cp cut diff du gzip head install ln ls mkdir mv rm rmdir sort stat tail tar tee touch
   tr uniq unzip wc zip`.split(/\s+/),
);

/** `jest --config ci/jest.json`, `make -f ci/checks.mk`, `tsc --project=tsconfig.ci.json`. */
function configurationsIn({ program, args, file, scripts }: Command): readonly string[] {
  const isInterpreter = isShell.test(program) || file !== undefined || scripts.length > 0;
  if (isInterpreter || fileUtilities.has(program)) return [];
  const values = args.flatMap((argument, index) => {
    if (configures.test(argument)) return args[index + 1] ?? [];
    const [name = '', ...value] = argument.split('=');
    return value.length > 0 && configures.test(name) ? value.join('=') : [];
  });
  return values.filter(isFile);
}

function isFile(argument: string): boolean {
  return !argument.startsWith('-') && /[./]/.test(argument) && !/^\.{0,2}\/?$/.test(argument);
}
