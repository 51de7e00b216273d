import type { Pusher } from '../context.ts';
import { type RefChange, zeroSha } from '../git/plumbing.ts';
import type { PullRequestRule, RulesetRule } from '../model.ts';
import { type AppliedRule, rulesOn } from './applied.ts';
import { queueViolation } from './queue.ts';
import { checkViolation, reviewViolation } from './requirements.ts';

/** A rule that was broken, in GitHub's words. */
export interface Violation {
  source: AppliedRule['source'];
  text: string;
}

/**
 * The rules that this change breaks, as far as the ref's name, its commits' names and GitHub's data show it.
 */
export function pushViolations(pusher: Pusher, change: RefChange): Violation[] {
  const queued = queueViolation(pusher.context, pusher.repository, change.ref);
  const broken = applying(pusher, change).flatMap(({ rule, source }): Violation[] => {
    const text = violationOf(pusher, rule, change);
    return text === undefined ? [] : [{ source, text }];
  });
  return queued === undefined ? broken : [...broken, { source: 'protection', text: queued }];
}

/**
 * The rule that wants commits signed, if it is for this change: the classic protection spares new branches.
 */
export function signingRule(pusher: Pusher, change: RefChange): AppliedRule | undefined {
  const creates = change.before === zeroSha;
  return applying(pusher, change).find(
    ({ rule, source }) => rule.type === 'required_signatures' && !(creates && source === 'protection'),
  );
}

/** A violation if the change is a forced push, which only the pushed objects show. */
export function forcedViolation(pusher: Pusher, change: RefChange): Violation | undefined {
  const applied = applying(pusher, change).find(({ rule }) => rule.type === 'non_fast_forward');
  return applied && { source: applied.source, text: 'Cannot force-push to this branch' };
}

function applying({ context, repository, sender_id }: Pusher, { ref }: RefChange): AppliedRule[] {
  return rulesOn(context, repository, ref).filter((one) => !one.exempts(sender_id));
}

function violationOf(pusher: Pusher, rule: RulesetRule, change: RefChange): string | undefined {
  const creates = change.before === zeroSha;
  const deletes = change.after === zeroSha;
  switch (rule.type) {
    case 'creation':
      return creates ? 'Cannot create ref due to creations being restricted.' : undefined;
    case 'deletion':
      return deletes ? 'Cannot delete this branch' : undefined;
    case 'update':
      return creates || deletes ? undefined : 'Cannot update this protected ref.';
    case 'merge_queue':
      return creates || deletes ? undefined : 'Changes must be made through the merge queue';
    case 'pull_request':
      return creates || deletes ? undefined : pullViolation(pusher, rule, change);
    case 'required_status_checks': {
      const { required_status_checks: required, do_not_enforce_on_create: lenient } = rule.parameters;
      if (deletes || (creates && lenient)) return undefined;
      return checkViolation(pusher.context, { repository: pusher.repository, sha: change.after }, required);
    }
    case 'non_fast_forward':
    case 'required_signatures':
      return undefined;
  }
}

/** Pushing the head of an open pull request into its base counts as merging it. */
function pullViolation(
  { context, repository }: Pusher,
  rule: PullRequestRule,
  change: RefChange,
): string | undefined {
  const pulls = context.store
    .pulls(repository)
    .filter(
      ({ state, pull }) =>
        state === 'open' && pull.head_sha === change.after && `refs/heads/${pull.base_ref}` === change.ref,
    );
  const merges = pulls.some((issue) => reviewViolation(context, issue, rule) === undefined);
  return merges ? undefined : 'Changes must be made through a pull request.';
}

/** The output for a push that breaks rules. */
export function violationText(url: string, ref: string, broken: Violation[]): string {
  const textsFrom = (source: Violation['source']) =>
    broken.filter((one) => one.source === source).flatMap(({ text }) => [`- ${text}`, '']);
  const [ruleset, protection] = [textsFrom('ruleset'), textsFrom('protection')];
  const lines = [
    ...(ruleset.length === 0
      ? []
      : [
          `error: GH013: Repository rule violations found for ${ref}.`,
          `Review all repository rules at ${url}/rules?ref=${encodeURIComponent(ref)}`,
          '',
          ...ruleset,
        ]),
    ...(protection.length === 0
      ? []
      : [`error: GH006: Protected branch update failed for ${ref}.`, '', ...protection]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The message of the API: GitHub announces violations of rulesets, not those of the classic protection. */
export function violationMessage(broken: Violation[]): string {
  const texts = broken.map(({ text }) => text);
  if (broken.every(({ source }) => source === 'protection')) return texts.join('\n');
  return `Repository rule violations found\n\n${texts.join('\n\n')}\n\n`;
}
