import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import type { CallRule } from '../../steering/shapes/gate-rules.ts';
import type { GateSettings, OwnRule } from '../../steering/shapes/settings.ts';
import { raw } from '../../text/regexp.ts';
import { rulesOf } from '../commands/command-rules.ts';
import { type Command, isKnown, names, operandsOf, withoutMarks } from '../commands/shell-command.ts';
import { follow } from '../commands/walk.ts';
import { type Line, maxLength, together } from '../reading/downloads.ts';
import { isDockerfile, isMakefile, isPackageJson, isPipeline, isShell } from '../reading/file-kinds.ts';
import { type Hunk, newSide, type Patch, type PatchLine, regionsOf, unescaped } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';
import { ownHit, ownRules } from './own-rules.ts';

/**
 * Finds what a script, a Makefile, a Dockerfile, the scripts of a package or a pipeline would run with the
 * lines that a change adds. Each command is read by itself: what a variable holds is not known.
 */
export function scriptHits(patch: Patch, gates?: GateSettings): readonly GateHit[] {
  const { path, status } = patch.change;
  if (status === 'deleted') return [];
  const owners = gates === undefined ? [] : ownRules(gates).commands;
  const isSuspicious = ({ text }: Line) => {
    // A shell takes `k\ubectl` and `k''ubectl` for `kubectl`.
    const words = text.replace(/[\\'"]/g, '');
    return suspicious.test(words) || owners.some(({ program }) => words.toLowerCase().includes(program));
  };
  const texts = scriptTexts(patch).filter(isSuspicious);
  const hits = texts.slice(0, maxTexts).flatMap((text) => hitsOf(text, path, gates));
  const rest = hitAt('unparsable', { path }, 'more commands than can be followed');
  return texts.length > maxTexts ? [...hits, rest] : hits;
}

/** More than any change adds to scripts that people read; each takes a tenth of a millisecond. */
const maxTexts = 2_000;

/** What a line needs to be followed at all, which takes a thousand times as long as looking for it. */
const suspicious = raw`(?i)\b(?:rm|rmdir|unlink|shred|find|git|dd|mkfs|terraform|tofu|terragrunt|kubectl|oc|helm\w*|aws|gcloud|az|docker\S*|podman\S*|apt\S*|aptitude|yum|dnf|microdnf|apk|brew|pacman|zypper|rpm|dpkg|snap|npm|pnpm|yarn|bun|pip3?|chmod|chown|umask|setfacl|install|usermod|adduser|gpasswd|psql|mysql\w*|mariadb|sqlite3|mongo\w*|redis-cli|dropdb|prisma|rails|rake|artisan|php|manage\.py|alembic|pulumi|cdk|cdktf|serverless|sls|sst|sam|ansible\S*|heroku|flyctl|fly|vercel|netlify|firebase|wrangler|gh|cargo|twine|uv|poetry|gem|eksctl|argocd|flux|nomad|skaffold|rsync|bq|gsutil|rclone|setcap|setenforce|sudo|doas|nix-env|choco|winget|drush|flyway|liquibase|goreleaser|semantic-release|lerna|changeset|su|kamal|cap|bfg|volume|truncate)\b`;

/** Of files that a script names nobody can say whether they are the repository's own. */
const judged: readonly CallRule[] = [
  'deletes-files',
  'drops-data',
  'changes-production',
  'installs-system-packages',
  'rewrites-history',
  'loosens-permissions',
  'runs-remote-code',
];

function hitsOf({ number, text }: Line, path: string, gates: GateSettings | undefined): readonly GateHit[] {
  const found = new Set<CallRule>();
  const own = new Set<OwnRule>();
  const owners = gates === undefined ? [] : ownRules(gates).commands;
  const line = withoutMarks(text.slice(0, maxLength)).replace(temporary, '/tmp/x');
  follow(line, {
    command: (command) => {
      const rules = rulesOf(command, gates === undefined ? {} : { gates });
      for (const rule of rules) if (counts(rule, command, path)) found.add(rule);
      for (const { matches, rule } of owners) if (matches(command)) own.add(rule);
    },
    // A line is often a part of a command; what is unclear in it is clear in the file.
    finds: (rule) => rule === 'unparsable' || found.add(rule),
  });
  return [
    ...[...found].map((rule) => hitAt(rule, { path, line: number }, text)),
    ...[...own].map((rule) => ownHit(rule, text, { path, line: number })),
  ];
}

/** Variables for files that nobody misses. */
const temporary = /\$\{?\w{0,40}(?:tmp|temp|scratch)\w{0,40}\}?/gi;

function counts(rule: CallRule, command: Command, path: string): boolean {
  if (!judged.includes(rule)) return false;
  // An image is built anew each time: what it deletes was there only for the build.
  return rule !== 'deletes-files' || (!isDockerfile(path) && destroysMuch(command));
}

/** Programs that delete files of the workspace as a part of ordinary work: build results, temporary files. */
const ordinary = names(
  'rm rmdir unlink rimraf shx del-cli truncate find del erase rd remove-item grm grmdir gunlink',
);

/** Programs that empty a file as they write others. */
const writers = new Set(['', ...names(': true cat echo printf tee cp mv install dd (…)')]);

const device = /^(?:of=)?\/dev\/(?!null\b|std|tty|fd\/|zero\b|u?random\b|shm\/)/;

/**
 * Whether a command in a script deletes more than its own results: recursively what a variable names, what is
 * outside of the workspace, or all of it. Other ways to delete, such as wiping a disk, always count.
 */
function destroysMuch(command: Command): boolean {
  const { args, program, redirects } = command;
  if (writers.has(program))
    return [...args, ...redirects.map(({ path }) => path)].some((one) => device.test(one));
  if (!ordinary.has(program)) return true;
  if (/^(?:unlink|rmdir|grmdir|gunlink|truncate)$/.test(program)) return false;
  const isRecursive =
    program === 'find' ||
    program === 'rimraf' ||
    args.some((argument) => /^-(?:-recursive|[a-z]*r)/i.test(argument));
  return isRecursive && operandsOf(args).some(isFar);
}

const missedByNobody =
  /^\/(?:tmp|var\/tmp|var\/lib\/apt|var\/cache|root\/\.(?:cache|npm)|usr\/share\/(?:doc|man))\b/;

/** An operand is far if it is no literal path below the workspace. */
function isFar(operand: string): boolean {
  if (missedByNobody.test(operand)) return false;
  return !isKnown(operand) || /^(?:\/|~|\.\.(?:\/|$)|\.\/?$|\*$|\.\/\*$)/.test(operand);
}

/** Finds what the added lines of a file would have a shell do; commands over several lines are joined. */
function scriptTexts(patch: Patch): readonly Line[] {
  const { path } = patch.change;
  const form = formOf(path, patch);
  if (form === undefined) return [];
  return patch.hunks.flatMap((hunk) => joined(hunk).flatMap((line) => form(line)));
}

type Form = (line: Line) => readonly Line[];

/** What can be executed and has no ending is mostly a shell script, if its first line is not there. */
function isShellByContent({ change: { path }, hunks, mode }: Patch): boolean {
  const [hunk] = hunks;
  const first = hunk?.lines.find(({ number, sign }) => number === 1 && sign !== '-')?.text;
  if (first === undefined) return mode === '100755' && !/\.[^/]*$/.test(path);
  return /^#!.*\b(?:ba|z|k|da|a)?sh\b/.test(first);
}

function formOf(path: string, patch: Patch): Form | undefined {
  if (isPackageJson(path)) return packageScript(patch);
  if (isDockerfile(path)) return imageStep;
  if (isMakefile(path)) return recipe;
  if (isPipeline(path)) return pipelineStep;
  return isShell(path) || isShellByContent(patch) ? (line) => [line] : undefined;
}

/** A command goes on after a backslash; it counts if any line of it was added. */
function joined(hunk: Hunk): readonly Line[] {
  const goesOn = ({ text }: PatchLine) => /\\\s*$/.test(text.slice(-10));
  return together(newSide(hunk), goesOn).flatMap(([first, ...others]) => {
    const added = [first, ...others].find(({ sign }) => sign === '+');
    if (added === undefined) return [];
    // A shell puts nothing between the two lines; the tab of a Makefile's line is not a part of it.
    const rest = others.map(({ text }) => text.replace(/^\t/, '').replace(/^\s+/, ' '));
    const text = [first.text, ...rest].map((each) => each.replace(/\\\s*$/, '')).join('');
    return [{ number: added.number, text }];
  });
}

const words =
  'ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|MAINTAINER|SHELL|STOPSIGNAL|USER|VOLUME';
const instruction = new RegExp(`^\\s*(?:#|(?:${words}|WORKDIR)\\s)`, 'i');

/** `RUN …`, also as a list of words; what is no instruction is in a here-document. */
function imageStep({ number, text }: Line): readonly Line[] {
  if (instruction.test(text)) return [];
  const command = text.replace(/^\s*(?:ONBUILD\s+)?RUN\s+(?:--\S+\s+)*/i, '');
  const isList = /^\s*\[.*\]\s*$/.test(command);
  return [{ number, text: isList ? command.replace(/^\s*\[|\]\s*$|,(?=\s*")/g, ' ') : command }];
}

/** In a Makefile, `$(X)` is a variable and `$$` a dollar; what is read is run for `$(shell …)` and `!=`. */
function recipe({ number, text }: Line): readonly Line[] {
  const [, called] = /\$\(shell\s([^)]*)/.exec(text) ?? [];
  const [, inline] = /^[^\t#=][^#=]*?(?:!=|:[^#=;]*;)(.*)/.exec(text) ?? [];
  const command = text.startsWith('\t') ? text.replace(/^[\t @+-]+/, '') : inline;
  return [command, called].flatMap((each) => {
    if (each === undefined) return [];
    const shell = each.replace(/\$\((\w+)\)/g, '$$$1').replaceAll('$$', '$');
    return [{ number, text: shell.trim() }];
  });
}

/** `run: …`, `- …` under `script:`, and lines of a block, which begin with no key. */
function pipelineStep({ number, text }: Line): readonly Line[] {
  const plain = text.replace(
    /^\s*(?:-\s+)?(?:(?:run|script|command|cmd|bash|sh|entry)\s*:\s*)?(?:[|>][+-]?\s*$)?/,
    '',
  );
  const unquoted = /^(['"])(.*)\1\s*$/.exec(plain)?.[2] ?? plain;
  return /^[\w.-]+\s*:(?:\s|$)/.test(unquoted) ? [] : [{ number, text: unquoted }];
}

/** A whole package may be written on one line. */
function packageScript(patch: Patch): Form {
  const regions = regionsOf(patch);
  return ({ number, text }) => {
    const around = /"scripts"\s*:\s*\{/.test(text) ? 'scripts' : regions.get(number);
    const pairs = text.slice(0, maxLength).matchAll(/"[^"\\]{1,100}"\s*:\s*"((?:[^"\\]|\\.)*)"/g);
    return [...pairs].flatMap(([, value = '']) => {
      const isScript = around === 'scripts' || (around === undefined && !isVersion(value));
      return isScript ? [{ number, text: unescaped(value).replace(/\\(["\\/])/g, '$1') }] : [];
    });
  };
}

function isVersion(value: string): boolean {
  return /^(?:[\^~>=<*\d]|v\d|npm:|workspace:|file:|link:|git[+:]|github:|https?:|latest|next)/.test(value);
}
