import { newGroundOf } from '../../steering/proceeding/deciding.ts';
import type { NewGround } from '../../steering/proceeding/proceeding.ts';
import type { ApprovalSettings, OnTimeout } from '../../steering/settings.ts';
import type { State } from '../../steering/state.ts';
import { counted, setDurationText } from '../../text/amounts.ts';
import { type Format, markdown, said } from './format.ts';
import { proceedsText } from './proceeding.ts';

/** What the configuration lets happen without people, and what it would do with this commit, and why. */
export function policyText(state: State): string {
  const { approval } = state.settings;
  const mode = `**Policy** ${markdown.name(approval.mode)}: ${modeText(approval)}.`;
  return said([mode, groundText(state), proceedsText(state)]).join(' ');
}

/** What an approval would let happen where that is more than leaving draft; empty elsewhere. */
export function mergeText({ settings, run }: State, { name }: Format = markdown): string {
  const { finish, merge_method: method } = settings.approval;
  if (finish === 'ready') return '';
  return finish === 'merge'
    ? `Once approved, Coxswain merges it into ${name(run.base)} (${method}).`
    : `Once approved, it is merged into ${name(run.base)} (${method}) as soon as GitHub's rules allow it.`;
}

/** What a mode does, as part of a sentence. */
export function modeText(approval: ApprovalSettings): string {
  switch (approval.mode) {
    case 'manual':
      return 'people approve every commit, whatever the confidence';
    case 'auto':
      return `it goes on by itself at a high confidence; at a medium one, ${timedText(approval)}`;
    case 'confidence_threshold':
      return `it goes on by itself at a confidence of at least ${approval.threshold}`;
  }
}

/** How much history the agent has here; empty where nothing depends on it. */
export function groundText({ settings: { approval }, shown }: Pick<State, 'settings' | 'shown'>): string {
  const ground = shown === null ? undefined : newGroundOf(approval, shown);
  return ground === undefined ? '' : newGroundText(ground, approval);
}

function newGroundText({ merged_runs, needed }: NewGround, approval: ApprovalSettings): string {
  const runs = `New ground: ${merged_runs} of ${counted(needed, 'merged run')} of this agent`;
  return isProceedWritten(approval)
    ? `${runs}, so where it would go on at once, people have ${timeFor(approval)}.`
    : `${runs}, and the configuration does not have on_timeout: proceed written out, so people decide.`;
}

/** A timed merge has to be asked for. */
function timedText(approval: ApprovalSettings): string {
  const isMerged = approval.finish !== 'ready';
  return isMerged && !isProceedWritten(approval) ? 'people decide' : `people have ${timeFor(approval)}`;
}

function isProceedWritten({ on_timeout, on_timeout_written }: ApprovalSettings): boolean {
  return on_timeout === 'proceed' && on_timeout_written === true;
}

/** `10 min to say something, and then it goes on`. */
function timeFor({ auto_proceed_after_s = 600, on_timeout = 'proceed' }: ApprovalSettings): string {
  return `${setDurationText(auto_proceed_after_s)} to say something, and then it ${thenTexts[on_timeout]}`;
}

const thenTexts: { readonly [T in OnTimeout]: string } = {
  proceed: 'goes on',
  hold: 'waits for an approval',
  deny: 'is rejected',
};
