import { type Command, programOf } from './shell/command.ts';
import { follow } from './shell/walk.ts';
import { fileOperand, shells } from './wrappers/shells.ts';

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
    runsDownload: () => undefined,
    unclear: () => undefined,
  });
  const paths = folders.flatMap((folder) => named.map((name) => normalized(`${folder}/${name}`)));
  return [...new Set(paths.filter((path) => path !== ''))];
}

const changesFolder = new Set(['cd', 'pushd']);

const interpreters = new Set(
  `node nodejs bun deno tsx ts-node vite-node zx jiti python pypy ruby perl php lua rscript pwsh powershell
   groovy tclsh expect awk gawk mawk bats`.split(/\s+/),
);

function scriptsIn({ program, path, args }: Command): readonly string[] {
  if (path.includes('/') && !path.startsWith('/')) return [path, ...interpreted(programOf(path), args)];
  if (program === '.' || program === 'source') return args.slice(0, 1);
  return interpreted(program, args);
}

function interpreted(program: string, args: readonly string[]): readonly string[] {
  if (shells.has(program)) {
    const file = fileOperand(args);
    return file === undefined ? [] : [file];
  }
  if (!interpreters.has(program)) return [];
  const module = program === 'python' ? args[args.indexOf('-m') + 1] : undefined;
  if (module !== undefined && args.includes('-m')) return ofModule(module);
  const files = args.filter(isFile);
  const script = files.findIndex((file) => isScript.test(file));
  // Before it come files of options; what follows are the script's own arguments.
  return script < 0 ? files.slice(0, 1) : files.slice(0, script + 1);
}

const isScript = /\.(?:[cm]?[jt]sx?|pyw?|rb|pl|php|lua|r|ps1|groovy|tcl|exp|awk|bats)$/i;

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
function configurationsIn({ program, args }: Command): readonly string[] {
  if (shells.has(program) || interpreters.has(program) || fileUtilities.has(program)) return [];
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

/** Without `./`, `..` and a leading slash, which is that of the folder that is empty. */
function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
