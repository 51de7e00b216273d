import { read } from '../arguments/grammars.ts';
import { names, valuesOf } from '../arguments/options.ts';
import type { Command } from '../shell/command.ts';

/** Programs that print their arguments, or look at files without reading or changing what is in them. */
const doNotRead = names(`
  echo printf ls ll la eza exa dir tree stat test [ [[ file du df basename dirname realpath readlink chmod chown
  chgrp which type man cd pushd popd mkdir rmdir find fd fdfind locate git-ignore export alias unset set read
  declare local typeset readonly return exit kill sleep expr let true false : trap hash help history jobs wait
  redis-cli valkey-cli npx npm pnpm yarn bun kubectl oc helm terraform tofu heroku gh gcloud az
  pkill pgrep ps id whoami hostname uname date seq
`);

/** Those that take a pattern, a script or a message before the files. */
const firstIsText = names('grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk jq yq perl ruby tr');

/** Options whose value is such a text. */
const textOptions: Readonly<Record<string, ReadonlySet<string>>> = {
  git: names('-m --message -c -S -G --grep --author --date --format --pretty --trailer'),
  default: names('-m --message --name -name --exclude --include --ignore -g --glob --title --body'),
  patterns: names('-e --regexp --expression --exclude --include --ignore -g --glob'),
};

const gitReads = names(
  'add show diff blame annotate cat-file rm mv checkout restore commit stash archive difftool update-index',
);

/** Programs whose arguments are files even if they look like plain words. */
const readers = names(`
  cat tac nl less more head tail bat vi vim nvim nano emacs ed code view cp mv rm ln install tee source . base64 xxd
  od hexdump strings grep egrep fgrep rg sed awk cut sort uniq wc diff cmp scp rsync tar zip gzip shred openssl gpg
  ssh-keygen ssh-add unlink truncate touch
`);

/** What of a command's arguments may name files that it reads or changes. */
export function namedPaths(command: Command): readonly string[] {
  const { program } = command;
  if (doNotRead.has(program)) return [...optionFiles(command), ...uploads(command)];
  if (program === 'git' && !gitReads.has(read(command).operands[0] ?? '')) return [];
  return pathArguments(command)
    .flatMap(pieces)
    .filter((piece) => piece !== '' && !/\s/.test(piece) && (/[./]/.test(piece) || readers.has(program)))
    .filter((piece) => piece.includes('/') || !/^(?:secrets|\.ssh|\.gnupg)$/.test(piece));
}

/** `docker run --env-file .env` is read wherever it stands, `npm run --prefix .env` names a folder. */
function optionFiles({ ownArgs: args }: Command): readonly string[] {
  return args.flatMap((argument, index) => {
    const [, value] = /^--(?:env-file|from-env-file|from-file)(?:=([\s\S]*))?$/.exec(argument) ?? ['', null];
    return value === null ? [] : [(value ?? args[index + 1] ?? '').replace(/^[\w.-]+=/, '')];
  });
}

/** `gh gist create .env`, `gh release upload v1 .env`. */
function uploads(command: Command): readonly string[] {
  if (command.program !== 'gh') return [];
  const [group = '', verb = '', ...files] = read(command).operands;
  return /^(?:gist|release)$/.test(group) && /^(?:create|edit|upload)$/.test(verb) ? files : [];
}

function pathArguments(command: Command): readonly string[] {
  const { ownArgs: args, program } = command;
  const kind = firstIsText.has(program) ? 'patterns' : 'default';
  const texts = textOptions[program] ?? textOptions[kind] ?? new Set();
  const kept = args.filter((argument, index) => {
    const option = argument.split('=', 1)[0] ?? '';
    return !texts.has(args[index - 1] ?? '') && !texts.has(option);
  });
  if (
    !firstIsText.has(program) ||
    args.some((argument) => /^-(?:e|f|-regexp|-expression|-file)/.test(argument))
  )
    return kept;
  const first = kept.findIndex((argument) => !argument.startsWith('-'));
  return kept.filter((_, index) => index !== first);
}

/** `--env-file=.env`, `-d@.env`, `HEAD:.env`, `of=.env`, `./.env:/app/.env`. */
function pieces(argument: string): readonly string[] {
  if (argument.length > 4_000 || /^[a-z][\w+.-]*:\/\//i.test(argument)) return [];
  const [, ...values] = argument.split(/[=@:,]/);
  const [mounted = ''] = argument.split(':');
  const attached = /^-[a-zA-Z](?=[./~])/.test(argument) ? [argument.slice(2)] : [];
  return [...(argument.startsWith('-') ? [] : [argument, mounted]), ...values, ...attached];
}

/** The programs that write to all files they name. */
const writers = names(
  'tee touch truncate rm unlink shred mv vi vim nvim nano emacs ed code sponge rimraf dos2unix',
);

/** What a command writes, moves or removes. */
export function writtenPaths(command: Command): readonly string[] {
  const { args, program } = command;
  const given = read(command);
  const { operands } = given;
  if (writers.has(program)) return operands;
  if (/^(?:cp|install|ln|scp|rsync)$/.test(program)) {
    return [...valuesOf(given, '-t', '--target-directory'), ...operands.slice(-1)];
  }
  if (/^g?sed$|^perl$|^yq$|^ruby$/.test(program)) return editsInPlace(args) ? operands : [];
  if (args.some((argument) => /^--(?:write|fix)$/.test(argument))) return operands;
  if (program === 'dd')
    return operands.filter((operand) => operand.startsWith('of=')).map((operand) => operand.slice(3));
  if (program === 'curl') return valuesOf(given, '-o', '--output');
  if (program === 'wget') return valuesOf(given, '-O', '--output-document');
  if (program === 'patch') return operands.slice(0, 1);
  if (program === 'git')
    return /^(?:rm|mv|checkout|restore)$/.test(operands[0] ?? '') ? operands.slice(1) : [];
  return [];
}

/** `sed -i`, `sed -i.bak`, `sed -Ei`, `perl -pi -e`. */
function editsInPlace(args: readonly string[]): boolean {
  return args.some((argument) => /^-(?:[a-zA-Z0]*i(?:\.\w*)?|-in-?place(?:=.*)?)$/.test(argument));
}
