import type { Context } from './context.ts';
import { zeroSha } from './git/plumbing.ts';
import type { RefChange } from './git/refs.ts';
import type { PullIssue, Repository, Rule } from './model.ts';
import { coversRef } from './ref-pattern.ts';

/** The rules that need the pushed objects; the update hook checks them. */
export interface ObjectRules {
  forbid_force: boolean;
  require_linear: boolean;
}

/** GitHub's messages for the rules that this change violates, as far as the ref's name and change show it. */
export function violatedRules(repository: Repository, change: RefChange, login: string): string[] {
  const rules = rulesFor(repository, change.ref, login);
  if (change.before === zeroSha) {
    return rules.some((rule) => rule.forbid_create)
      ? ['Cannot create ref due to creations being restricted.']
      : [];
  }
  if (change.after === zeroSha) {
    return rules.some((rule) => rule.forbid_delete) ? ['Cannot delete this branch'] : [];
  }
  return rules.some((rule) => rule.forbid_update) ? ['Cannot update this protected ref.'] : [];
}

export function objectRules(repository: Repository, ref: string, login: string): ObjectRules {
  const rules = rulesFor(repository, ref, login);
  return {
    forbid_force: rules.some((rule) => rule.forbid_force),
    require_linear: rules.some((rule) => rule.require_linear),
  };
}

/** The names of required checks that the commit has not passed. */
export function checksMissing(context: Context, issue: PullIssue): string[] {
  const repository = context.store.repository(issue.repository_id);
  const ref = `refs/heads/${issue.pull.base_ref}`;
  const required = repository.rules
    .filter((rule) => coversRef(rule.pattern, ref))
    .flatMap((rule) => rule.required_checks ?? []);
  return required.filter((name) => {
    const latest = context.store.data.check_runs.findLast(
      (run) =>
        run.repository_id === repository.id && run.head_sha === issue.pull.head_sha && run.name === name,
    );
    return !['success', 'neutral', 'skipped'].includes(latest?.conclusion ?? '');
  });
}

export const forceForbidden = 'Cannot force-push to this branch';
export const linearRequired = 'This branch must not contain merge commits.';

/** The output for a push that violates rules. */
export function violationText(url: string, ref: string, broken: string[]): string {
  const lines = [
    `error: GH013: Repository rule violations found for ${ref}.`,
    `Review all repository rules at ${url}/rules?ref=${encodeURIComponent(ref)}`,
    '',
    ...broken.flatMap((sentence) => [`- ${sentence}`, '']),
  ];
  return `${lines.join('\n')}\n`;
}

function rulesFor(repository: Repository, ref: string, login: string): Rule[] {
  return repository.rules.filter((rule) => coversRef(rule.pattern, ref) && !rule.bypass?.includes(login));
}
