import { newGroundOf } from '../../steering/approval/deciding.ts';
import { proceedingReasons } from '../../steering/approval/proceeding-reasons.ts';
import { notExplicit } from '../../steering/phrases/sentences.ts';
import type { NewGround, PolicyGround } from '../../steering/shapes/proceeding.ts';
import type { ApprovalSettings, OnTimeout } from '../../steering/shapes/settings.ts';
import { isAskingHuman } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { counted, setDurationText } from '../../text/amounts.ts';
import { code, type Format, markdown, plain, said, timeText } from './sanitize.ts';

/** What the configuration lets happen without people, and what it would do with this commit, and why. */
export function policyText(state: State): string {
  const { approval } = state.settings;
  const mode = `**Policy** ${markdown.name(approval.mode)}: ${modeText(approval)}.`;
  return said([mode, groundText(state), proceedsText(state)]).join(' ');
}

/** What an approval would let happen where that is more than leaving draft; empty elsewhere. */
export function mergeText({ settings, run }: State): string {
  const { finish, merge_method: method } = settings.approval;
  if (finish === 'ready') return '';
  return finish === 'merge'
    ? `Once approved, Coxswain merges it into ${code(run.base, 200)} (${method}, unless a merge queue decides).`
    : `Once approved, it is merged into ${code(run.base, 200)} (${method}, unless a merge queue decides) as soon as GitHub's rules allow it.`;
}

const byItself = 'it proceeds automatically at a';

/** What a mode does, as part of a sentence. */
function modeText(approval: ApprovalSettings): string {
  switch (approval.mode) {
    case 'manual':
      return 'people approve every commit, regardless of the confidence';
    case 'auto':
      return `${byItself} high confidence; at a medium one, ${timedText(approval)}`;
    case 'confidence_threshold':
      return `${byItself} confidence of at least ${approval.threshold}`;
  }
}

/** How much history the agent has here; empty where nothing depends on it. */
function groundText({ settings: { approval }, shown }: Pick<State, 'settings' | 'shown'>): string {
  const ground = shown === null ? undefined : newGroundOf(approval, shown);
  return ground === undefined ? '' : newGroundText(ground, approval);
}

function newGroundText({ merged_runs, needed }: NewGround, approval: ApprovalSettings): string {
  const runs = `New ground: ${merged_runs} of ${counted(needed, 'merged run')} of this agent`;
  return isProceedWritten(approval)
    ? `${runs}, so where it would proceed at once, people have ${timeFor(approval)}.`
    : `${runs}, and ${notExplicit}, so people decide.`;
}

/** A timed merge has to be asked for. */
function timedText(approval: ApprovalSettings): string {
  const isMerged = approval.finish !== 'ready';
  return isMerged && !isProceedWritten(approval) ? 'people decide' : `people have ${timeFor(approval)}`;
}

function isProceedWritten({ on_timeout, on_timeout_written }: ApprovalSettings): boolean {
  return on_timeout === 'proceed' && on_timeout_written === true;
}

/** `10 min to respond, and then it proceeds`. */
function timeFor({ auto_proceed_after_s = 600, on_timeout = 'proceed' }: ApprovalSettings): string {
  return `${setDurationText(auto_proceed_after_s)} to respond, and then it ${thenTexts[on_timeout]}`;
}

const thenTexts: { readonly [T in OnTimeout]: string } = {
  proceed: 'proceeds',
  hold: 'waits for an approval',
  deny: 'is rejected',
};

/** Why a run waits for people where the configuration could do without, and when it no longer does. */
export function proceedsText(state: State): string {
  const { standing, settings } = state;
  if (standing.phase !== 'awaiting_approval' || settings.approval.mode === 'manual') return '';
  const { proceeds } = standing;
  if (proceeds !== undefined)
    return `**${timedTexts[proceeds.on_timeout]} at ${timeText(proceeds.at)}**, unless someone responds first.`;
  const why = peopleReasons(state);
  if (why.length === 0) return '';
  return `People decide although the mode is ${code(settings.approval.mode)}: ${plain(why.join('; '), 1000)}.`;
}

/** Why people decide: what has happened since the decision, or else what it rests on. */
export function peopleReasons({ left_to_people: left, head, shown }: State): readonly string[] {
  if (left?.head_sha === head) return proceedingReasons({ how: 'wait', because: [left.because] });
  return shown?.proceeding === undefined ? [] : proceedingReasons(shown.proceeding, shown.gates);
}

const timedTexts = {
  proceed: 'It proceeds without an approval',
  hold: 'The countdown ends and it waits for people',
  deny: 'It is rejected',
};

/** `auto: the confidence is high`. */
export function ruleText({ settings: { approval } }: State, { rule, at }: PolicyGround): string {
  const texts = {
    auto: 'the confidence is high',
    confidence_threshold: `the confidence reaches the threshold of ${approval.threshold}`,
    auto_proceed_after: `nobody responded within ${setDurationText(approval.auto_proceed_after_s ?? 600)}`,
  };
  return `${code(rule)}, ${texts[rule]}, at ${timeText(at)}`;
}

/** The reminder in the comment that asks; empty until people are reminded. */
export function remindedText(state: State): string {
  const text = timePassedText(state, markdown);
  return text && `**Reminder**: ${text}`;
}

/**
 * How much of the time to answer has passed, and what happens at its end; empty until people are reminded.
 */
export function timePassedText({ standing }: State, { name }: Format): string {
  if (!isAskingHuman(standing) || standing.reminded === undefined) return '';
  return (
    `${standing.reminded.percent}% of the time to answer has passed. Without an answer by ` +
    `${timeText(standing.deadline)} the run times out and stays as it is; ${name('/resume')} continues it then.`
  );
}
