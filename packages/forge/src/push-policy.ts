import type { Actor } from './actors.ts';
import { type Context, fullName } from './context.ts';
import type { RefRefusal } from './git/receive.ts';
import type { RefChange } from './git/refs.ts';
import type { Account, Repository } from './model.ts';
import { covers } from './permissions.ts';
import { brokenRules, forceForbidden, linearRequired, objectRules, violationText } from './rules.ts';

/** What the hook is told, and the words for what it turns down. */
export interface Verdict {
  env: Record<string, string>;
  refusalFor(ref: string, found: { kind: string; detail: string } | undefined): RefRefusal | undefined;
}

export interface Push {
  actor: Actor & { account: Account };
  repository: Repository;
  commands: RefChange[];
}

/** Decides what it can before Git runs, and says what the hook must look at. */
export function judgePush(context: Context, { actor, repository, commands }: Push): Verdict {
  const { login } = actor.account;
  const url = `${context.url}/${fullName(context, repository)}`;
  const broken = new Map(commands.map((change) => [change.ref, brokenRules(repository, change, login)]));
  const guarded = actor.kind === 'installation' && !covers(actor.permissions, { workflows: 'write' });
  const refused = commands.filter(({ ref }) => (broken.get(ref) ?? []).length > 0);
  const strict = (rule: 'forbid_force' | 'require_linear') =>
    commands.filter(({ ref }) => objectRules(repository, ref, login)[rule]);
  return {
    env: {
      FORGE_REFUSED: names(refused),
      FORGE_NO_FORCE: names(strict('forbid_force')),
      FORGE_LINEAR: names(strict('require_linear')),
      FORGE_GUARD_WORKFLOWS: guarded ? '1' : '',
    },
    refusalFor(ref, found) {
      if (found?.kind === 'workflow') return workflowRefusal(found.detail);
      const sentences = [...(broken.get(ref) ?? []), ...sentenceFor(found?.kind)];
      if (sentences.length === 0) return undefined;
      const text = violationText(url, ref, sentences);
      return { reason: 'push declined due to repository rule violations', text };
    },
  };
}

function names(changes: RefChange[]): string {
  return changes.map(({ ref }) => ref).join(' ');
}

function sentenceFor(kind: string | undefined): string[] {
  if (kind === 'force') return [forceForbidden];
  return kind === 'linear' ? [linearRequired] : [];
}

function workflowRefusal(path: string): RefRefusal {
  const what = `create or update workflow \`${path}\` without \`workflows\` permission`;
  return { reason: `refusing to allow a GitHub App to ${what}`, text: '' };
}
