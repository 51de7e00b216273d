import { anyOf } from '../../text/regexp.ts';
import { type Command, type Inner, names, unknown } from './shell-command.ts';

const container =
  `-H --context -p --profile -e --env -v --volume -u --user -w --workdir --name --network --net -p --publish --mount -l
  --label -h --hostname --env-file --platform -m --memory --cpus --gpus --add-host --cap-add --cap-drop --device
  --dns --log-driver --tmpfs --shm-size --security-opt --volumes-from -a -f --file`.replaceAll(/\s+/g, ' ');

/**
 * Programs that start others, with the words of their subcommand; `a|b` are alternatives. What they start
 * stands behind their options, and
 * - `takes`: these options take the next argument, besides those that the program always has;
 * - `skip`: so many operands of its own stand before it, all of them if no program stands there;
 * - `code`: the value of these options is a text to run;
 * - `exec`: behind these options stand a program and its arguments, up to a `;` or `+`;
 * - `idle`: with one of these options, or as this operand, it runs nothing;
 * - `joins`: what remains is joined to one text to run, or only the first word of it is that text;
 * - `file`: what remains is a file to run, with arguments;
 * - `input`: if nothing remains, it runs what it reads;
 * - `script`: the texts are in another language than the shell's.
 */
const table = `
  sh|bash|zsh|dash|ksh|mksh|ash|fish|rbash: file; input; code -c --command; takes -o -O +o +O --rcfile --init-file
  pwsh|powershell: file; input; code -c -command -Command; takes -ExecutionPolicy
  source|.|bats|tclsh|expect: file
  trap: joins first
  eval|watch|parallel|iex|invoke-expression: joins; input; takes -n --interval -j --jobs
  find|fd|fdfind: exec -exec -execdir -ok -okdir -x -X --exec --exec-batch; skip Infinity
  xargs: takes -I -n -P -L -d -s -a -E --max-args --max-procs --delimiter --arg-file
  sudo|doas: input; takes -u --user -g --group -p -C -D -R -T; idle -l --list -v --validate -k -K -e --edit
  exec|nohup|setsid|builtin|busybox|toybox|fakeroot|unbuffer|caffeinate|chronic|arch|k3s|valgrind: takes -a
  env: takes -u --unset -C --chdir; code -S --split-string
  cross-env|dotenv|time|wsl|xvfb-run|tini: takes -e -o -d --user -n
  command: idle -v -V
  timeout|gtimeout: skip 1; takes -s --signal -k --kill-after
  nice|chrt|ionice|stdbuf: takes -n --adjustment -c --class -i --input -o --output -e --error
  taskset|gosu|su-exec: skip 1
  cmd: skip 1; joins
  strace|ltrace|sshpass|systemd-run: takes -e -o -p -s -u -E -a -P -M --unit --property --uid --gid
  flock|script: skip 1; takes -w --timeout -E; code -c --command
  unshare|nsenter|firejail: takes -S -G -R -t --target --root --wd
  chroot: skip 1; input
  su|runuser|at|batch: skip Infinity; input; code -c --command; takes -s --shell -g --group -G
  entr|watchexec|hyperfine|nodemon: joins; takes -w --watch -e --exts -n -r --runs -d; code --exec -x --prepare
  ssh|mosh: skip 1; joins; input; takes -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w
  vagrant ssh: skip Infinity; input; code -c --command
  gcloud|fly|flyctl compute|ssh ssh|console: skip Infinity; code -C --command
  heroku run: joins; takes -a --app -r --remote
  multipass|lxc|incus|direnv|aws-vault exec: skip 1
  kubectl|oc exec: skip 1; takes -n --namespace --context --kubeconfig -c --container
  docker|podman|nerdctl|docker-compose|podman-compose run|exec|create: skip 1; takes ${container}
  docker|podman compose run|exec: skip 1; takes ${container}
  npx|bunx|pnpx: code -c --call; takes -p --package
  npm|pnpm|yarn|bun exec|dlx|x: code -c --call; takes -p --package -C --dir --prefix --filter -w --workspace
  yarn|pnpm: idle rm remove unlink link install i publish
  uvx: takes --from --with --python
  pipx run: takes --spec --python
  uv tool run: takes --from --with --python
  poetry|pipenv|pdm|rye|hatch|uv|conda|mamba run: takes --with --python --env-file -p --package -C --directory -n
  bundle|mise|asdf exec
  op|doppler|infisical run
  nix-shell|nix: skip Infinity; code --run --command -c
  git bisect run: takes -C -c
  git submodule foreach: joins; takes -C -c
  git rebase: skip Infinity; code -x --exec; takes -C -c
  tmux new-session|new|new-window|split-window|send-keys: joins; takes -s -n -t -c -x -y
  python|pypy: script; file; input; code -c; exec -m; takes -W -X
  deno eval: script; joins
  node|nodejs|tsx|ts-node|vite-node|zx|jiti|bun|deno: script; file; input; code -e -p --eval --print; takes -r --require -C
  ruby|perl|lua|r|rscript|groovy: script; file; input; code -e -E; takes -r -I -M -C
  php: script; file; input; code -r --run; takes -d -c
  awk|gawk|mawk: script; joins first; takes -F -v -f
`;

interface Row {
  /** The alternatives for each word of its subcommand. */
  readonly words: readonly (readonly string[])[];
  readonly facts: ReadonlyMap<string, ReadonlySet<string>>;
}

export const starters = new Map<string, Row[]>();
for (const line of table.trim().split('\n')) {
  const [name = '', told = ''] = line.trim().split(': ');
  const [programs = [], ...words] = name.split(' ').map((word) => word.split('|'));
  const facts = new Map(told.split('; ').map((fact) => [fact.split(' ', 1).join(), names(fact)]));
  for (const program of programs) starters.set(program, [...(starters.get(program) ?? []), { words, facts }]);
}

/** What a command starts in its turn, as far as its arguments and its input say. */
type Started = Pick<Command, 'file' | 'ownArgs' | 'scripts'> & { readonly inner: readonly Inner[] };
type Given = Pick<Command, 'args' | 'input' | 'program'>;

export function startedBy(given: Given): Started {
  for (const row of starters.get(given.program) ?? []) {
    const own = ownPart(given.args, row);
    if (own !== undefined) return started(given, row, own);
  }
  return { inner: [], ownArgs: given.args, scripts: [] };
}

interface OwnPart {
  /** What it runs begins at this argument. */
  readonly end: number;
  readonly texts: readonly string[];
  readonly programs: readonly (readonly string[])[];
  readonly readsInput: boolean;
}

/** Goes over the options and operands of the program itself; nothing if it is another subcommand. */
function ownPart(args: readonly string[], { words, facts }: Row): OwnPart | undefined {
  const [, skip] = facts.get('skip') ?? [];
  let left = words.length + Number(skip ?? 0);
  let readsInput = false;
  let index = 0;
  const texts: string[] = [];
  const programs: (readonly string[])[] = [];
  for (; index < args.length; index += 1) {
    const [argument = '', next] = args.slice(index, index + 2);
    if (facts.get('idle')?.has(argument)) return { end: args.length, texts: [], programs: [], readsInput };
    if (facts.get('exec')?.has(argument)) {
      const end = args.findIndex((word, at) => at > index && /^[;+]$/.test(word));
      programs.push(args.slice(index + 1, end < 0 ? args.length : end));
      index = end < 0 ? args.length : end;
    } else if (argument === '--' && left <= 0) {
      index += 1;
      break;
    } else if (/^[-+]./.test(argument)) {
      const text = codeIn(argument, next, facts.get('code'));
      if (text !== undefined) texts.push(text);
      readsInput ||= facts.has('file') && /^-[a-z]*s/.test(argument);
      if (text === undefined ? takesNext(argument, facts.get('takes')) : text === next) index += 1;
    } else if (!/^\w+=/.test(argument) || facts.has('file') || facts.has('joins')) {
      if (left <= 0) break;
      const word = words[words.length - left + Number(skip ?? 0)];
      if (word !== undefined && !word.includes(argument)) return undefined;
      left -= 1;
    }
  }
  return left > Number(skip ?? 0) ? undefined : { end: index, texts, programs, readsInput };
}

/** `-c text`, `-lc text`, `-ctext`, `--command=text`. */
function codeIn(option: string, next: string | undefined, codes = names('')): string | undefined {
  const [name = ''] = option.split('=', 1);
  if (codes.has(name)) return name === option ? next : option.slice(name.length + 1);
  if (/^-[a-zA-Z]+$/.test(option)) return codes.has(`-${option.at(-1)}`) ? next : undefined;
  return codes.has(option.slice(0, 2)) ? option.slice(2) : undefined;
}

/** `-u root` and `-nu root` do, `-uroot` and `--user=root` do not. */
function takesNext(option: string, takes = names('')): boolean {
  if (option.startsWith('--') || takes.has(option)) return takes.has(option);
  const letters = [...option.slice(1)];
  return letters.findIndex((letter) => takes.has(`-${letter}`)) === letters.length - 1;
}

function started(given: Given, { facts }: Row, { end, texts, programs, readsInput }: OwnPart): Started {
  const { args, input, program } = given;
  const rest = args.slice(end);
  const found = [...texts];
  const inner: Inner[] = programs.map((words) => ({ words }));
  const isDone = texts.length + programs.length > 0;
  const isRead = readsInput || /^(?:|-|\/dev\/stdin)$/.test(rest[0] ?? '');
  if (facts.has('input') && isRead && !isDone) found.push(input ?? '');
  else if (rest.length > 0 && facts.has('joins'))
    found.push(facts.get('joins')?.has('first') ? (rest[0] ?? '') : rest.join(' '));
  else if (rest.length > 0 && program === 'xargs') inner.push({ words: withInput(rest, input), input: '' });
  else if (rest.length > 0 && !facts.has('file')) inner.push({ words: rest });
  const file = facts.has('file') && !isDone && !isRead ? { file: rest[0] ?? '' } : {};
  const own = { ownArgs: facts.has('file') ? args : args.slice(0, end), ...file };
  if (facts.has('script'))
    return { inner: [...inner, ...found.flatMap(startedByScript)], scripts: found, ...own };
  const texts_ = found.filter((text) => text !== '').map((text) => ({ text }));
  return { inner: [...texts_, ...inner], scripts: [], ...own };
}

/** What `xargs` reads becomes arguments. */
function withInput(words: readonly string[], input = unknown): readonly string[] {
  return [...words, ...input.split(/[\s\0]+/).filter((field) => field !== '')];
}

/** A script without what stands in quotes, which is not a call. */
export function callsIn(script: string): string {
  return script.replace(/'[^'\n]*'|"[^"\n]*"/g, "''");
}

/** The functions that start a program or a shell, in Python, JavaScript, Ruby, Perl, PHP and awk. */
const startingCalls = anyOf(
  [
    String.raw`\b(?:system|popen|exec|execSync|execFile|execFileSync|spawn|spawnSync|execa|shell_exec)\b\s*\(?`,
    String.raw`\b(?:passthru|check_call|check_output|getoutput|subprocess\.\w+)\b\s*\(?`,
  ],
  'g',
);

const maxCalls = 50;

/**
 * Finds what a script gives to a shell, as in `os.system('rm a')`, or starts as words: `spawn('rm', ['a'])`.
 */
function startedByScript(script: string): readonly Inner[] {
  const calls = [...script.matchAll(startingCalls)].slice(0, maxCalls);
  return calls.flatMap(({ 0: call, index }): readonly Inner[] => {
    const [rest = ''] =
      /^\s*\[?\s*['"`][^\n]*/.exec(script.slice(index + call.length, index + call.length + 1_000)) ?? [];
    const [text, ...others] = literals(rest);
    if (text === undefined) return [];
    return /\s/.test(text) ? [{ text }] : [{ words: [text, ...others] }];
  });
}

/** Everything that is quoted in a script. */
export function literals(script: string): readonly string[] {
  const quoted = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\[\s\S])*)`/g;
  const found = [...script.matchAll(quoted)].slice(0, 1_000);
  return found.map(([, one, two, three]) =>
    (one ?? two ?? three ?? '').replace(/\\(.)/gs, (_, letter) => (letter === 'n' ? '\n' : letter)),
  );
}
