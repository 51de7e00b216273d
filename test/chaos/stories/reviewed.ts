import type { Story } from '../story.ts';

const worker = `turns:
  - on: { prompt: Deal with what the second opinion found }
    steps:
      - { write: src/0.txt, content: "per kilo, in euros\\n" }
  - steps:
      - { write: src/0.txt, content: "per kilo\\n" }
`;

const reviewer = `import { readFileSync } from 'node:fs';
const prompt = readFileSync(process.env.COXSWAIN_PROMPT_FILE, 'utf8');
const concern = { file: 'src/0.txt', line: 1, severity: 'high', text: 'The currency is missing.' };
const again = prompt.includes('c1 (high)') && prompt.includes('in euros');
console.log(JSON.stringify(again ? { confidence: 0.9, resolved: ['c1'] } : { confidence: 0.6, concerns: [concern] }));
`;

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
agents:
  careful: { use: command, command: [node, tools/review.mjs] }
review: careful
verifiers:
  - { name: test, run: grep -q kilo src/0.txt }
approval: { mode: auto, new_history: 0 }
`;

/** A grave concern of a second agent waits for people, becomes a steer, and is resolved. */
export const reviewed: Story = {
  name: 'reviewed by a second agent',
  options: {
    files: { '.github/coxswain.yml': config, 'tools/agent.yml': worker, 'tools/review.mjs': reviewer },
  },
  play: async ({ fixture: { ada } }) => {
    const pull = await ada.starts('Show the price');
    await pull.waitForPhase('awaiting_approval', { iteration: 0 });
    await ada.says(
      pull,
      '/steer Deal with what the second opinion found:\n\n- src/0.txt:1: The currency is missing.',
    );
    await pull.waitForPhase('approved', { iteration: 1 });
    await pull.waitForDraft(false);
    return pull;
  },
};
