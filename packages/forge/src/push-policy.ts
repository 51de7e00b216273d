import type { Actor } from './actors.ts';
import { type Context, fullName } from './context.ts';
import type { RefRejection } from './git/receive.ts';
import type { RefChange } from './git/refs.ts';
import type { Account, Repository } from './model.ts';
import { covers } from './permissions.ts';
import { forceForbidden, linearRequired, objectRules, violatedRules, violationText } from './rules.ts';

/** The input of the update hook, and the messages for the refs that it rejects. */
export interface PushCheck {
  env: Record<string, string>;
  rejectionFor(ref: string, found: { kind: string; detail: string } | undefined): RefRejection | undefined;
}

export interface Push {
  actor: Actor & { account: Account };
  repository: Repository;
  commands: RefChange[];
}

/** Checks the rules that need no objects, and selects those that the hook must check. */
export function checkPush(context: Context, { actor, repository, commands }: Push): PushCheck {
  const { login } = actor.account;
  const url = `${context.url}/${fullName(context, repository)}`;
  const broken = new Map(commands.map((change) => [change.ref, violatedRules(repository, change, login)]));
  const guarded = actor.kind === 'installation' && !covers(actor.permissions, { workflows: 'write' });
  const rejected = commands.filter(({ ref }) => (broken.get(ref) ?? []).length > 0);
  const strict = (rule: 'forbid_force' | 'require_linear') =>
    commands.filter(({ ref }) => objectRules(repository, ref, login)[rule]);
  return {
    env: {
      FORGE_REFUSED: names(rejected),
      FORGE_NO_FORCE: names(strict('forbid_force')),
      FORGE_LINEAR: names(strict('require_linear')),
      FORGE_GUARD_WORKFLOWS: guarded ? '1' : '',
    },
    rejectionFor(ref, found) {
      if (found?.kind === 'workflow') return workflowRejection(found.detail);
      const messages = [...(broken.get(ref) ?? []), ...messageFor(found?.kind)];
      if (messages.length === 0) return undefined;
      const text = violationText(url, ref, messages);
      return { reason: 'push declined due to repository rule violations', text };
    },
  };
}

function names(changes: RefChange[]): string {
  return changes.map(({ ref }) => ref).join(' ');
}

function messageFor(kind: string | undefined): string[] {
  if (kind === 'force') return [forceForbidden];
  return kind === 'linear' ? [linearRequired] : [];
}

function workflowRejection(path: string): RefRejection {
  const what = `create or update workflow \`${path}\` without \`workflows\` permission`;
  return { reason: `refusing to allow a GitHub App to ${what}`, text: '' };
}
