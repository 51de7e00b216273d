import type { Story } from '../story.ts';

const agent = `turns:
  - on: { prompt: ['Yours is \`plan\`', 'Freeze it'] }
    steps:
      - { write: PLAN.md, content: "1. Freeze the price.\\n" }
  - on: { prompt: 'Yours is \`plan\`' }
    steps:
      - { write: PLAN.md, content: "1. Show the price.\\n" }
      - { write: src/0.txt, content: "too early\\n" }
  - on: { prompt: 'Yours is \`tests\`' }
    steps:
      - { write: src/1.test.txt, content: "red\\n" }
  - on: { prompt: ['Yours is \`implement\`', 'Freeze the price'] }
    steps:
      - { write: src/0.txt, content: "frozen\\n" }
`;

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
stages:
  - { name: plan, approve: true }
  - { name: tests, check: { file: src/1.test.txt } }
  - implement
verifiers:
  - { name: test, run: grep -q frozen src/0.txt }
`;

/** A plan is steered and approved, and what follows it is made in two stages. */
export const planned: Story = {
  name: 'planned, then built',
  options: { files: { '.github/coxswain.yml': config, 'tools/agent.yml': agent } },
  play: async ({ fixture: { ada, bob }, advanceClock }) => {
    const pull = await ada.starts('Show the price');
    await pull.waitForPhase('awaiting_stage', { iteration: 0 });
    await ada.says(pull, '/steer Freeze it');
    await pull.waitForPhase('awaiting_stage', { iteration: 1 });
    // What is said so soon after the other plan might be about that one.
    advanceClock(1);
    await bob.reviews(pull, { event: 'APPROVE' });
    const { head_sha } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    await bob.says(pull, `/approve ${head_sha}`);
    await pull.waitForPhase('approved');
    await pull.waitForDraft(false);
    return pull;
  },
};
