import type { State } from '../../../src/steering/state/state.ts';
import {
  anApproval,
  anInteraction,
  anIteration,
  aState,
  awaiting,
  head,
  hold,
  nextHead,
  queued,
  shownAt,
  steered,
  verifying,
  working,
} from './state.ts';

const third = 'c'.repeat(40);

/** Two attempts, a steer and an approval: every state of such a run. */
export function aSession(): readonly State[] {
  return [queued, working, verifying, ...secondAttempt(), ...steeredIteration(), ...approvedAndMerged()];
}

const red = {
  attempt: 1,
  outcome: 'red',
  head,
  failure: null,
  summary: '',
  verifiers: [],
  duration_s: 9,
} as const;
const second = { attempt: 2, attempts_used: 2, attempts: [red] };
const firstQuestion = anInteraction({ id: 'approval:12:9', head_sha: nextHead });
const secondQuestion = anInteraction({ id: 'approval:12:15', head_sha: third });

function secondAttempt(): readonly State[] {
  const verify = { phase: 'verifying', hold, work: 'verify_attempt' } as const;
  const standing = { phase: 'awaiting_approval', interaction: firstQuestion, deadline: 'T' } as const;
  return [
    aState({ seq: 5, head, standing: { phase: 'queued', work: 'attempt' }, ...second, shown: shownAt(head) }),
    aState({ seq: 6, head, ...second, shown: shownAt(head) }),
    aState({ seq: 7, ...second, head: nextHead, standing: verify }),
    awaiting({ seq: 9, ...second, head: nextHead, shown: shownAt(nextHead), standing }),
  ];
}

const steering = {
  iteration: 1,
  iterations: [anIteration(), steered(1, 'logout too', { head_before: nextHead, head_after: third })],
  interactions: [{ ...firstQuestion, settled_at: 'T', by: 'ada', how: 'steered' }],
};

function steeredIteration(): readonly State[] {
  const held = { ...hold, iteration: 1 };
  const verify = { phase: 'verifying', hold: held, work: 'verify_attempt' } as const;
  const standing = { phase: 'awaiting_approval', interaction: secondQuestion, deadline: 'T' } as const;
  return [
    aState({ seq: 11, ...steering, head: nextHead, standing: { phase: 'queued', work: 'attempt' } }),
    aState({ seq: 12, ...steering, head: nextHead, standing: { phase: 'working', hold: held } }),
    aState({ seq: 13, ...steering, head: third, standing: verify }),
    awaiting({ seq: 15, ...steering, head: third, shown: shownAt(third), standing }),
  ];
}

function approvedAndMerged(): readonly State[] {
  const settled = { ...secondQuestion, settled_at: 'T', by: 'ada', how: 'approved' };
  const interactions = [...steering.interactions, settled];
  const approvals = [anApproval()];
  const over = { ...steering, head: third, shown: shownAt(third), approvals, interactions };
  return [
    awaiting({ seq: 17, ...over, standing: { phase: 'approved', finish: 'finished' } }),
    awaiting({ seq: 18, ...over, standing: { phase: 'done', merged: true } }),
  ];
}
