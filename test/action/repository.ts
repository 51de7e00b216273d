import { exampleText } from './workflow.ts';

/** A repository whose agent fails at first, then succeeds, and follows every steer. */

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers:
  - { name: test, run: node test.mjs }
`;

const test = `import { readFileSync } from 'node:fs';

if (readFileSync('price.txt', 'utf8').includes('wrong')) {
  console.log('price.txt:1:1: the price is wrong');
  process.exitCode = 1;
}
`;

const wrong = `  - on: { iteration: 0, attempt: 1 }
    steps:
      - write: price.txt
        content: "wrong\\n"
      - report: { summary: "Wrote a price.", status: done }
`;

const right = `  - on: { iteration: 0 }
    steps:
      - write: price.txt
        content: "right\\n"
      - report: { summary: "Put the price right.", status: done }
  - steps:
      - append: price.txt
        content: "as you say\\n"
      - report: { summary: "Followed the steer.", status: done }
`;

/** An agent that succeeds at once. */
export const succeedingAgent = { 'tools/agent.yml': `turns:\n${right}` };

/** An agent that succeeds, but in its first attempt waits for `tools/wait.mjs`. */
export const waitingAgent = {
  'tools/agent.yml': `turns:
  - on: { iteration: 0, attempt: 1 }
    steps:
      - run: node tools/wait.mjs
      - write: price.txt
        content: "right\\n"
${right}`,
};

export const repositoryFiles: Readonly<Record<string, string>> = {
  'README.md': '# widgets\n',
  'price.txt': 'unknown\n',
  'test.mjs': test,
  'tools/agent.yml': `turns:\n${wrong}${right}`,
  '.github/coxswain.yml': config,
  '.github/workflows/coxswain.yml': exampleText,
};

/** A repository whose agent plans before people let it build; `before` is run when it begins to build. */
export function plannedFiles(before = 'true'): Readonly<Record<string, string>> {
  return {
    '.github/coxswain.yml': `${config}stages: [{ name: plan, approve: true }, implement]\n`,
    'tools/agent.yml': `turns:
  - on: { prompt: 'Yours is \`plan\`' }
    steps:
      - { write: PLAN.md, content: "1. Ask for the price.\\n" }
  - on: { prompt: ['Yours is \`implement\`', 'Ask for the price'] }
    steps:
      - { run: "${before}" }
      - { write: price.txt, content: "right\\n" }
`,
  };
}
