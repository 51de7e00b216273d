import { removeLedger } from '../../app/frozen-ledger.ts';
import { requireChecks } from '../../app/required-checks.ts';
import { steerAndApprove } from '../../app/steer-and-approve.ts';
import { config } from '../../app/widgets.ts';
import type { Story } from '../story.ts';

/** A human steers, approves, rejects or ends a run whose work is done. */
export const decisions: readonly Story[] = [
  {
    name: 'steered and approved',
    play: ({ fixture }) => steerAndApprove(fixture),
  },
  {
    name: 'asked, then rejected',
    play: async ({ fixture: { ada } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await ada.says(pull, '/why');
      await pull.waitForComment(/the weighted mean/);
      await ada.says(pull, '/reject not what we want');
      await pull.waitForPhase('rejected');
      await pull.waitForClosed();
      return pull;
    },
  },
  {
    name: 'approved by a button',
    play: async ({ fixture: { ada } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await pull.waitUntil('the button', async () => {
        const check = await pull.check('Coxswain').catch(() => undefined);
        return check?.conclusion === 'action_required' || undefined;
      });
      await ada.clicks(pull, 'approve');
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      return pull;
    },
  },
  {
    name: 'reviewed',
    play: async ({ fixture: { ada, bob } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval', { iteration: 0 });
      await bob.reviews(pull, { event: 'REQUEST_CHANGES', body: 'Shorter, please.' });
      await pull.waitForPhase('awaiting_approval', { iteration: 1 });
      await bob.reviews(pull, { event: 'APPROVE' });
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      return pull;
    },
  },
  {
    name: 'an approval is deleted',
    play: async ({ fixture: { ada } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      const approval = await ada.says(pull, '/approve');
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      await ada.deletes(approval);
      await pull.waitForPhase('awaiting_approval');
      await pull.waitForDraft(true);
      return pull;
    },
  },
  {
    name: 'a human pushes',
    play: async ({ fixture: { ada, mia } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      const pushed = await ada.pushes(await pull.branch(), { 'src/mine.txt': 'mine\n' });
      await pull.waitUntil('the pushed commit to be verified', async () => {
        const { head_sha, phase } = (await pull.block()) ?? {};
        return (head_sha === pushed && phase === 'awaiting_approval') || undefined;
      });
      await mia.says(pull, `/approve ${pushed}`);
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      return pull;
    },
  },
  {
    name: 'nobody answers',
    play: async ({ fixture: { ada }, advanceClock }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      advanceClock(25);
      await pull.waitForPhase('timed_out');
      await ada.says(pull, '/resume');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'merged after approval',
    options: { files: { '.github/coxswain.yml': `${config}approval: { finish: merge }\n` } },
    play: async ({ fixture }) => {
      const { ada } = fixture;
      requireChecks(fixture);
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await ada.says(pull, '/approve');
      await pull.waitForPhase('done');
      return pull;
    },
  },
  {
    name: 'merged without people',
    options: {
      files: { '.github/coxswain.yml': `${config}approval: { mode: auto, new_history: 0, finish: merge }\n` },
    },
    play: async ({ fixture }) => {
      requireChecks(fixture);
      const pull = await fixture.ada.starts('Make it fine');
      await pull.waitForPhase('done');
      return pull;
    },
  },
  {
    name: 'a human merges an approved pull request',
    play: async ({ fixture: { ada, mia } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await ada.says(pull, '/approve');
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      await mia.merges(pull);
      await pull.waitForPhase('done');
      return pull;
    },
  },
  {
    name: 'the only run of a repository is closed by a human',
    play: async ({ fixture: { ada, mia } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await mia.closes(pull);
      await pull.waitForPhase('cancelled');
      return pull;
    },
  },
  {
    name: 'closed and reopened',
    play: async ({ fixture: { ada, bob } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await bob.closes(pull);
      await pull.waitForPhase('cancelled');
      await bob.reopens(pull);
      await pull.waitForPhase('paused');
      await ada.says(pull, '/resume');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'the ledger is lost',
    // How far the count goes on depends on what was shown when it was lost.
    compares: ['decided', 'checks', 'merged', 'left'],
    play: async ({ fixture }) => {
      const { ada, mia } = fixture;
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await removeLedger(fixture, pull);
      await pull.waitForComment(/\/resume/);
      await mia.says(pull, '/resume');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
];
