import { notExplicit, startedOver } from '../phrases/phrases.ts';
import type { GateHit } from '../shapes/attempt-result.ts';
import type { PeopleDecide, Proceeding, Spoken } from '../shapes/finishing.ts';
import { rulesIn } from '../shapes/gate-rules.ts';

/** Why people decide, each as part of a sentence; empty if they need not. */
export function proceedingReasons(proceeding: Proceeding, gates: readonly GateHit[] = []): readonly string[] {
  return proceeding.how === 'wait' ? proceeding.because.map((each) => reasonText(each, gates)) : [];
}

function reasonText(reason: PeopleDecide, gates: readonly GateHit[]): string {
  switch (reason.why) {
    case 'gated':
      return gates.length === 0 ? 'a gate was triggered' : `gates: ${rulesIn(gates).join(', ')}`;
    case 'below_threshold':
      return `the confidence is below the threshold of ${reason.threshold}`;
    case 'flaky':
      return `${firstOf(reason.verifiers)} passed only in some runs on the same files`;
    case 'concerns':
      return `the second opinion has grave concerns: ${reason.concerns.join(', ')}`;
    case 'overruled':
      return `grave concerns of the second opinion were dismissed: ${reason.concerns.join(', ')}`;
    case 'unlisted_base':
      return `the configuration does not list ${reason.base}`;
    case 'protected_paths':
      return `it changes what only some people may approve: ${reason.paths.join(', ')}`;
    case 'code_owners':
      return `it changes files that have code owners: ${firstOf(reason.files)}`;
    case 'task':
      return 'the task says who must approve';
    case 'no_write':
      return `no write access: ${reason.people.join(', ')}`;
    case 'on_timeout_unwritten':
      return unwrittenTexts[reason.where];
    case 'stopped':
      return `${spokenText({ ...reason, login: reason.by })} at ${reason.at.slice(0, 19).replace('T', ' ')} UTC`;
    case 'held':
      return 'nobody responded in time, and the configuration says on_timeout: hold';
    case 'finish_refused':
      return reason.reasons.join('; ');
    case 'manual':
    case 'unverified':
    case 'low_confidence':
    case 'no_opinion':
    case 'partial_opinion':
    case 'action':
    case 'restored':
    case 'people_unknown':
    case 'adopted':
    case 'others_pushed':
    case 'stages_left':
    case 'unsandboxed':
      return plainTexts[reason.why];
  }
}

/** What somebody did with words, without when. */
export function spokenText({ login, how }: Pick<Spoken, 'login' | 'how'>): string {
  if (how === 'unread') return 'more was said than could be read';
  return `${login} ${how === 'deleted' ? 'deleted a comment' : 'said something'}`;
}

function firstOf(files: readonly string[]): string {
  return `${files.slice(0, maxFiles).join(', ')}${files.length > maxFiles ? ', …' : ''}`;
}

const maxFiles = 3;

const unwrittenTexts = {
  new_ground: `the agent is new here, and ${notExplicit}`,
  finish: `it would be merged, and ${notExplicit}`,
};

const plainTexts = {
  manual: 'the configuration requires people to approve',
  unverified: 'no verifier ran',
  low_confidence: 'the confidence is not high enough',
  no_opinion: 'there is no second opinion on this commit',
  partial_opinion: 'the change is too large for all of it to be shown to its reviewer',
  action: 'with the Action alone, nothing proves who wrote the ledger',
  restored: `the ${startedOver}`,
  people_unknown: 'not everyone who worked on it is known',
  adopted: 'the pull request has commits from before the run',
  others_pushed: 'somebody else pushed to the branch',
  stages_left: 'no attempt got through all its stages to this commit',
  unsandboxed: 'it ran without a sandbox, although the configuration does not say sandbox: off',
};
