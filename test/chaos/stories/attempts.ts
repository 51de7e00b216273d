import { permissions } from '../../app/app-fixture.ts';
import { at } from '../../app/person.ts';
import { config } from '../../app/widgets.ts';
import type { Story } from '../story.ts';

const twoAttempts = { '.github/coxswain.yml': `${config}attempts: { max: 2 }\n` };

/** What the agent does, and what humans say while it works. */
export const attempts: readonly Story[] = [
  {
    name: 'cancelled while the agent works',
    play: async ({ fixture: { ada, barrier } }) => {
      const pull = await ada.starts(`agent: wait ${barrier.path}`);
      await barrier.reached();
      await ada.says(pull, '/cancel');
      await pull.waitForPhase('cancelled');
      await pull.waitForClosed();
      barrier.open();
      return pull;
    },
  },
  {
    name: 'steered while the agent works',
    play: async ({ fixture: { ada, bob, barrier } }) => {
      const pull = await ada.starts(`agent: wait ${barrier.path}`);
      await barrier.reached();
      await ada.says(pull, '/steer one');
      await pull.waitForEvents('said');
      await bob.says(pull, '/steer two');
      await pull.waitForEvents('said', 2);
      barrier.open();
      await pull.waitForPhase('awaiting_approval', { iteration: 1 });
      return pull;
    },
  },
  {
    name: 'interrupted by a steer',
    play: async ({ fixture: { ada, barrier } }) => {
      const pull = await ada.starts(`agent: wait ${barrier.path}`);
      await barrier.reached();
      await ada.says(pull, '/steer --now agent: work');
      await pull.waitForPhase('awaiting_approval', { iteration: 1 });
      barrier.open();
      return pull;
    },
  },
  {
    name: 'nothing changed',
    play: async ({ fixture: { ada } }) => {
      const pull = await ada.starts('agent: nothing');
      await pull.waitForPhase('awaiting_resolution');
      await ada.says(pull, '/cancel');
      await pull.waitForPhase('cancelled');
      await pull.waitForClosed();
      return pull;
    },
  },
  {
    name: 'a question is answered',
    play: async ({ fixture: { ada, bob } }) => {
      const pull = await ada.starts('agent: ask');
      await pull.waitForPhase('awaiting_answer');
      await bob.says(pull, '/answer the rest');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'a question is answered while the agent is stopped',
    // The question stays as it was when it was answered: whether its agent was stopped by then differs.
    compares: ['decided', 'run', 'body', 'block', 'title', 'checks', 'merged', 'left'],
    play: async ({ fixture: { ada, bob } }) => {
      const pull = await ada.starts('agent: ask');
      await pull.waitForEvents('question_asked');
      await bob.says(pull, '/answer the rest');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'stopped in the middle',
    play: async ({ fixture: { ada, bob, barrier } }) => {
      const pull = await ada.starts(`agent: wait ${barrier.path}`);
      await barrier.reached();
      await bob.says(pull, '/pause');
      await pull.waitForPhase('paused');
      await pull.waitForEvents('work_parked');
      barrier.open();
      await bob.says(pull, '/resume');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'red until a human is asked',
    options: { files: twoAttempts },
    play: async ({ fixture: { ada, mia } }) => {
      const pull = await ada.starts('agent: red');
      await pull.waitForPhase('awaiting_resolution');
      await ada.says(pull, '/retry');
      const head = await pull.waitUntil('the end of attempt 4', async () => {
        const { attempt, phase, head_sha } = (await pull.block()) ?? {};
        return attempt === 4 && phase === 'awaiting_resolution' ? head_sha : undefined;
      });
      await mia.says(pull, `/approve ${head} --despite test`);
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      return pull;
    },
  },
  {
    name: 'the agent fails',
    options: { files: twoAttempts },
    play: async ({ fixture: { ada, mia } }) => {
      const pull = await ada.starts('agent: fail');
      await pull.waitForPhase('awaiting_resolution');
      await mia.says(pull, '/cancel');
      await pull.waitForPhase('cancelled');
      await pull.waitForClosed();
      return pull;
    },
  },
  {
    name: 'a permission is given',
    options: { permissions: { ...permissions, workflows: 'write' } },
    play: async ({ fixture: { ada } }) => {
      const pull = await ada.starts('agent: workflow');
      await pull.waitForPhase('awaiting_permission');
      await ada.says(pull, '/allow');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'a pull request of a human is carried on',
    play: async ({ fixture: { ada, mia } }) => {
      await ada.pushes('main', { 'src/mine.txt': 'mine\n' }, { to: 'my-idea' });
      const wanted = { ...at, head: 'my-idea', base: 'main', title: 'My idea' };
      const { data } = await ada.octokit.rest.pulls.create(wanted);
      await ada.says(data.number, '/run carry it on');
      const pull = ada.looksAt(data.number);
      const { head_sha } = await pull.waitForPhase('awaiting_approval');
      await mia.says(pull, `/approve ${head_sha}`);
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      return pull;
    },
  },
];
