import type { Actor } from './actors.ts';
import { type Context, fullName } from './context.ts';
import type { RefRejection } from './git/receive.ts';
import type { RefChange } from './git/refs.ts';
import type { Account, Repository } from './model.ts';
import { covers } from './permissions.ts';
import {
  type ObjectRules,
  objectRules,
  pushViolations,
  type Violation,
  violationText,
} from './rules/pushes.ts';

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
  const url = `${context.url}/${fullName(context, repository)}`;
  const checked = new Map(
    commands.map((command) => {
      const change = { ...command, sender_id: actor.account.id };
      const broken = pushViolations(context, repository, change);
      return [command.ref, { broken, objects: objectRules(context, repository, change) }];
    }),
  );
  const refsWith = (has: (one: Checked) => boolean) =>
    [...checked].flatMap(([ref, one]) => (has(one) ? [ref] : [])).join(' ');
  const guarded = actor.kind === 'installation' && !covers(actor.permissions, { workflows: 'write' });
  return {
    env: {
      FORGE_REFUSED: refsWith(({ broken }) => broken.length > 0),
      FORGE_NO_FORCE: refsWith(({ objects }) => objects.no_force !== undefined),
      FORGE_LINEAR: refsWith(({ objects }) => objects.linear !== undefined),
      FORGE_GUARD_WORKFLOWS: guarded ? '1' : '',
    },
    rejectionFor(ref, found) {
      if (found?.kind === 'workflow') return workflowRejection(found.detail);
      const broken = violationsOf(checked.get(ref), found?.kind);
      if (broken.length === 0) return undefined;
      return { reason: reasonFor(broken), text: violationText(url, ref, broken) };
    },
  };
}

interface Checked {
  broken: Violation[];
  objects: ObjectRules;
}

/** With what the hook found in the pushed objects. */
function violationsOf(checked: Checked | undefined, kind: string | undefined): Violation[] {
  if (checked === undefined) return [];
  const { no_force, linear } = checked.objects;
  const found = kind === 'force' ? no_force : kind === 'linear' ? linear : undefined;
  return [...checked.broken, ...(found ? [found] : [])];
}

function reasonFor(broken: Violation[]): string {
  const isClassic = broken.every(({ source }) => source === 'protection');
  return isClassic ? 'protected branch hook declined' : 'push declined due to repository rule violations';
}

function workflowRejection(path: string): RefRejection {
  const what = `create or update workflow \`${path}\` without \`workflows\` permission`;
  return { reason: `refusing to allow a GitHub App to ${what}`, text: '' };
}
