import { newGroundOf } from '../../steering/proceeding/deciding.ts';
import type { NewGround } from '../../steering/proceeding/proceeding.ts';
import type { ApprovalSettings, OnTimeout } from '../../steering/settings.ts';
import type { State } from '../../steering/state.ts';
import { counted, durationText } from '../../text/amounts.ts';
import { markdown } from './format.ts';
import { proceedsText } from './proceeding.ts';

/** What the configuration lets happen without people, and what it would do with this commit, and why. */
export function policyText(state: State): string {
  const { approval } = state.settings;
  const ground = groundText(state);
  const parts = [
    `**Policy** ${markdown.name(approval.mode)}: ${modeText(approval)}.`,
    ...(ground === '' ? [] : [ground]),
    ...proceedsText(state),
  ];
  return parts.join(' ');
}

/** What a mode does, as part of a sentence. */
export function modeText(approval: ApprovalSettings): string {
  switch (approval.mode) {
    case 'manual':
      return 'people approve every commit, whatever the confidence';
    case 'auto':
      return `it goes on by itself at a high confidence; at a medium one, people have ${timeFor(approval)}`;
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
  return (
    `New ground: ${merged_runs} of ${counted(needed, 'merged run')} of this agent, ` +
    `so people have ${timeFor(approval)} at any confidence.`
  );
}

/** `10 min 0 s to say something, and then it goes on`. */
function timeFor({ auto_proceed_after_s = 600, on_timeout = 'proceed' }: ApprovalSettings): string {
  return `${durationText(auto_proceed_after_s)} to say something, and then it ${thenTexts[on_timeout]}`;
}

const thenTexts: { readonly [T in OnTimeout]: string } = {
  proceed: 'goes on',
  hold: 'waits for an approval',
  deny: 'is rejected',
};
