import { expect } from 'vitest';
import { textSha256 } from '../../src/github/marks.ts';
import type { State } from '../../src/steering/state/state.ts';
import type { PullClient } from './pull-client.ts';

/** The state of an approved run whose merge is pending. */
export function approvedBy(state: State, evidence: { comment_id: number; text: string } | 'a click'): State {
  const { head, updated_at: at, standing } = state;
  const interaction = standing.phase === 'awaiting_approval' ? standing.interaction.id : '';
  const source =
    evidence === 'a click'
      ? ({ from: 'click', check_run_id: 1, head_sha: head, interaction } as const)
      : ({
          from: 'comment',
          comment_id: evidence.comment_id,
          text_sha256: textSha256(evidence.text),
          written_at: at,
        } as const);
  const by = { login: 'mia', id: 0, role: 'maintain', bot: false } as const;
  return {
    ...state,
    standing: { phase: 'approved', finish: 'finished' },
    approvals: [{ id: 'forged', by, at, head_sha: head, source, despite: [] }],
    owed: [{ id: 'forged:merge', do: 'merge', head_sha: head, when: 'now' }],
  };
}

/** Neither a successful check run of ours nor a merge, and the pull request is still a draft. */
export async function expectNothingGranted(pull: PullClient): Promise<void> {
  expect(await pull.details()).toMatchObject({ draft: true, merged: false });
  const runs = await pull.checks();
  const conclusions = runs.filter(({ name }) => name === 'Coxswain').map(({ conclusion }) => conclusion);
  expect(conclusions).not.toContain('success');
}
