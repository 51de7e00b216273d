import { anyOf } from '../../text/regexp.ts';
import { touchesSecrets } from '../reading/file-kinds.ts';
import { type Command, names, operandsOf, readable, valuesOf } from './shell-command.ts';
import { literals } from './starts.ts';
import { follow } from './walk.ts';

/** Whether a command reads, prints or changes a file with secrets. */
export function readsSecrets(command: Command): boolean {
  const redirects = command.redirects.map(({ path }) => path);
  return [...namedPaths(command), ...redirects, ...command.scripts.flatMap(pathsIn)].some(isSecret);
}

/** Whether a command writes, moves or removes a file that a rule is about. */
export function writes(command: Command, matches: (path: string) => boolean): boolean {
  const redirects = command.redirects.filter(({ access }) => access !== 'read').map(({ path }) => path);
  // Which of the files that a script names it writes would take following it.
  const scripts = command.scripts.filter((script) => writingCalls.test(script)).flatMap(pathsIn);
  return [...writtenPaths(command), ...redirects, ...scripts].some((path) => {
    // The line may be run in any folder, and may name a file from anywhere.
    const parts = normalized(path).split('/').slice(-maxParts);
    return parts.some((_, index) => matches(parts.slice(index).join('/')));
  });
}

const maxParts = 20;

/** The calls that write, copy or move files, in Python, JavaScript, Ruby, Perl and PHP. */
const writingCalls = anyOf([
  String.raw`,\s*['"](?:[wax]b?\+?|r\+|>{1,2})['"]`,
  String.raw`\b(?:write_text|write_bytes|shutil\.(?:copy|move)|writeFile|appendFile|createWriteStream)`,
  String.raw`\b(?:copyFile|cpSync|rename|(?:File|IO)\.write|file_put_contents)`,
]);

function isSecret(path: string): boolean {
  // Of `.env*`, one of the files that it stands for is meant.
  const plain = normalized(path).replace(/[*?[\]]/g, '');
  // Properties of programs are no files.
  if (/^(?:process|import\.meta)\.env$/.test(plain) || plain.length > 1_000) return false;
  return /^proc\/[^/]+\/environ$/.test(plain) || touchesSecrets.matches(plain);
}

/** A path as a rule reads it has no `./`, no `..` and no leading slash. */
function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of readable(path).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') + (/\/\.?$/.test(path) && parts.length > 0 ? '/' : '');
}

/** Finds the files that a script names; `'.key'` is as likely a property as a file, `'.env'` is not. */
function pathsIn(script: string): readonly string[] {
  return literals(script)
    .filter((text) => text.length < 300 && /^[\w./~-]*[./][\w.-]+$/.test(text))
    .filter((text) => text === '.env' || !/^\.[a-z]+$/i.test(text));
}

/** Programs that print their arguments, or look at files without reading or changing what is in them. */
const doNotRead = names(`
  echo printf ls ll la eza exa dir tree stat test [ [[ file du df basename dirname realpath readlink chmod chown
  chgrp which type man cd pushd popd mkdir rmdir find fd fdfind locate export alias unset set read declare local
  typeset readonly return exit kill sleep expr let true false : trap hash help history jobs wait redis-cli
  valkey-cli npx npm pnpm yarn bun kubectl oc helm terraform tofu heroku gh gcloud az pkill pgrep ps id uname date seq
`);

/** These programs take a pattern or a script before the files. */
const firstIsText = /^(?:[efz]?grep|rg|ag|ack|g?sed|[gm]?awk|jq|yq|perl|ruby|tr)$/;

/** Options whose value is such a text, or a message. */
const texts =
  names(`-m --message --name -name --regexp --expression --exclude --include --ignore -g --glob --title
  --body --author --date --format --pretty --grep`);

const gitReads =
  /^(?:add|show|diff|blame|annotate|cat-file|rm|mv|checkout|restore|commit|stash|archive|difftool)$/;

/** Finds which of a command's arguments may name files that it reads or changes. */
function namedPaths(command: Command): readonly string[] {
  const { ownArgs, program } = command;
  const [verb = '', ...others] = operandsOf(ownArgs);
  if (program === 'git' && !ownArgs.some((each) => gitReads.test(each))) return [];
  const isUpload =
    program === 'gh' && /^(?:gist|release)$/.test(verb) && /^(?:create|edit|upload)$/.test(others[0] ?? '');
  // `docker run --env-file .env` is read wherever it stands, `npm run --prefix .env` names a folder.
  if (doNotRead.has(program) && !isUpload)
    return valuesOf(ownArgs, '--env-file', '--from-env-file', '--from-file').map((each) =>
      each.replace(/^.*=/, ''),
    );
  return pathArguments(command)
    .flatMap(pieces)
    .filter((piece) => !/\s/.test(piece) && /[./]|^(?:id_\w+|credentials|kubeconfig|htpasswd)$/.test(piece));
}

function pathArguments({ ownArgs, program }: Command): readonly string[] {
  const isPattern = firstIsText.test(program);
  const isText = (argument: string, before = '') =>
    texts.has(before) || texts.has(argument.split('=', 1).join()) || (isPattern && before === '-e');
  const kept = ownArgs.filter((argument, index) => !isText(argument, ownArgs[index - 1]));
  if (!isPattern || ownArgs.some((each) => /^-(?:e|f|-regexp|-expression|-file)/.test(each))) return kept;
  const first = kept.findIndex((argument) => !argument.startsWith('-'));
  return kept.filter((_, index) => index !== first);
}

/** `--env-file=.env`, `-d@.env`, `HEAD:.env`, `of=.env`, `./.env:/app/.env`. */
function pieces(argument: string): readonly string[] {
  if (argument.length > 4_000 || /^[a-z][\w+.-]*:\/\//i.test(argument)) return [];
  const [, ...values] = argument.split(/[=@:,]/);
  const [mounted = ''] = argument.split(':');
  return argument.startsWith('-') ? values : [argument, mounted, ...values];
}

/** The programs that write to all files they name. */
const writers =
  /^(?:tee|touch|truncate|rm|unlink|shred|mv|n?vim?|nano|emacs|ed|code|sponge|rimraf|dos2unix|patch)$/;

function writtenPaths({ args, program }: Command): readonly string[] {
  const operands = operandsOf(args);
  if (writers.test(program)) return operands;
  if (/^(?:cp|install|ln|scp|rsync)$/.test(program))
    return [...valuesOf(args, '-t', '--target-directory'), ...operands.slice(-1)];
  if (/^(?:curl|wget)$/.test(program)) return valuesOf(args, '-o', '-O', '--output', '--output-document');
  if (program === 'dd') return operands.map((each) => each.replace(/^of=/, ''));
  if (program === 'git') return /^(?:rm|mv|checkout|restore)$/.test(operands[0] ?? '') ? operands : [];
  // `sed -i`, `sed -i.bak`, `sed -Ei`, `perl -pi -e`, and `prettier --write`.
  const isInPlace = /^(?:g?sed|perl|yq|ruby)$/.test(program)
    ? /^-(?:[a-zA-Z0]*i(?:\.\w*)?|-in-?place(?:=.*)?)$/
    : /^--(?:write|fix)$/;
  return args.some((each) => isInPlace.test(each)) ? operands : [];
}

/**
 * Finds the files of a repository that decide what a command line does: scripts that it starts, directly or
 * through an interpreter, and configuration that its options name. They go by their paths from the root; a
 * line that changes folders may mean one below each of these.
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
