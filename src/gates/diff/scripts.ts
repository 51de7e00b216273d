import type { GateHit } from '../../steering/attempt-result.ts';
import type { Rule } from '../commands/rule.ts';
import { rulesOf } from '../commands/rules-of.ts';
import { hitAt } from '../rules.ts';
import type { Command } from '../shell/command.ts';
import { withoutMarks } from '../shell/marks.ts';
import { follow } from '../shell/walk.ts';
import { destroysMuch } from './destroys-much.ts';
import { isDockerfile } from './kinds.ts';
import type { Patch } from './patch.ts';
import { maxLength, type ScriptText, scriptTexts } from './script-lines.ts';

/**
 * What a script, a Makefile, a Dockerfile, the scripts of a package or a pipeline would run with the lines
 * that a change adds. Each command is read by itself: what a variable holds is not known.
 */
export function scriptHits(patch: Patch): readonly GateHit[] {
  const { path, status } = patch.change;
  if (status === 'deleted') return [];
  const texts = scriptTexts(patch).filter(({ text }) => suspicious.test(text));
  return texts.slice(0, maxTexts).flatMap((text) => hitsOf(text, path));
}

/** More than any change adds to scripts that people read; each takes a tenth of a millisecond. */
const maxTexts = 2_000;

/** What a line needs to be followed at all, which takes a thousand times as long as looking for it. */
const suspicious =
  /\b(?:rm|rmdir|unlink|shred|find|git|dd|mkfs|terraform|tofu|terragrunt|kubectl|oc|helm\w*|aws|gcloud|az|docker\S*|podman\S*|apt\S*|aptitude|yum|dnf|microdnf|apk|brew|pacman|zypper|rpm|dpkg|snap|npm|pnpm|yarn|bun|pip3?|chmod|chown|umask|setfacl|install|usermod|adduser|gpasswd|psql|mysql\w*|mariadb|sqlite3|mongo\w*|redis-cli|dropdb|prisma|rails|rake|artisan|php|manage\.py|alembic|pulumi|cdk|cdktf|serverless|sls|sst|sam|ansible\S*|heroku|flyctl|fly|vercel|netlify|firebase|wrangler|gh|cargo|twine|uv|poetry|gem|eksctl|argocd|flux|nomad|skaffold|rsync|bq|gsutil|rclone|setcap|setenforce|sudo|doas|nix-env|choco|winget|drush|flyway|liquibase|goreleaser|semantic-release|lerna|changeset|su|kamal|cap|bfg|volume|truncate)\b/i;

/** Of files that a script names nobody can say whether they are the repository's own. */
const judged: readonly Rule[] = [
  'deletes-files',
  'drops-data',
  'changes-production',
  'installs-system-packages',
  'rewrites-history',
  'loosens-permissions',
  'runs-remote-code',
];

function hitsOf({ number, text }: ScriptText, path: string): readonly GateHit[] {
  const found = new Set<Rule>();
  const line = withoutMarks(text.slice(0, maxLength)).replace(temporary, '/tmp/x');
  follow(line, {
    command: (command) => {
      for (const rule of rulesOf(command)) if (counts(rule, command, path)) found.add(rule);
    },
    runsDownload: () => found.add('runs-remote-code'),
    // A line is often a part of a command; what is unclear in it is clear in the file.
    unclear: () => undefined,
  });
  return [...found].map((rule) => hitAt(rule, { path, line: number }, text));
}

/** Variables for files that nobody misses. */
const temporary = /\$\{?\w{0,40}(?:tmp|temp|scratch)\w{0,40}\}?/gi;

function counts(rule: Rule, command: Command, path: string): boolean {
  if (!judged.includes(rule)) return false;
  // An image is built anew each time: what it deletes was there only for the build.
  return rule !== 'deletes-files' || (!isDockerfile(path) && destroysMuch(command));
}
