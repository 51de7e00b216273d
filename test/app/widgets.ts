import { waitingAt } from './barrier.ts';

/** The repository of the sessions: a program that acts as the agent, and verifiers that can fail. */

/** A task or a steer can contain an instruction for this agent, such as `agent: red`. */
const agent = `// Acts as a coding agent: follows the last "agent: ..." in the feedback, or else in the task.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
${waitingAt}

const prompt = readFileSync(0, 'utf8');
const feedback = /### Feedback\\n([\\s\\S]*?)(?=\\n### |$)/.exec(prompt)?.[1] ?? prompt;
const [, order = 'work', subject = ''] = [...feedback.matchAll(/agent: ([\\w-]+)(?: (\\S+))?/g)].at(-1) ?? [];
const answered = /The user responded: "([^"]*)"/.exec(prompt)?.[1];
const { COXSWAIN_ITERATION: iteration, COXSWAIN_ATTEMPT: attempt, COXSWAIN_REPORT_FILE: file } = process.env;
const write = (path, text) => (mkdirSync(path.replace(/[^/]+$/, ''), { recursive: true }), writeFileSync(path, text));
const work = (text) => write(\`src/\${iteration}.txt\`, \`\${text}\\niteration \${iteration}, attempt \${attempt}\\n\`);
const orders = {
  work: () => work('fine'),
  red: () => work(' BROKEN'),
  'red-first': () => work(attempt === '1' ? ' BROKEN' : 'fine'),
  'red-then-wait': async () => { if (attempt !== '1') await passed(subject); work(attempt === '1' ? ' BROKEN' : 'fine'); },
  file: () => write(subject, 'fine\\n'),
  nothing: () => undefined,
  fail: () => { work('half'); console.error('the model is gone'); process.exit(3); },
  hang: () => new Promise(() => setInterval(() => undefined, 1000)),
  workflow: () => write('.github/workflows/new.yml', 'on: push\\n'),
  'other-workflow': () => write('.github/workflows/other.yml', 'on: push\\n'),
  'wait-workflow': async () => { await passed(subject); write('.github/workflows/new.yml', 'on: push\\n'); },
  secret: () => write('config/.env', 'TOKEN=1\\n'),
  wait: async () => { await passed(subject); work('fine'); },
  ask: () => write(\`src/\${iteration}.txt\`, answered === undefined ? 'half\\n' : \`half, then \${answered}\\n\`),
};
await orders[order]();
const question = order === 'ask' && answered === undefined ? 'What comes then?' : undefined;
writeFileSync(file, JSON.stringify({ summary: \`Did \${order} in iteration \${iteration}\`, status: 'done', tool_calls: [], question }));
`;

/** One verifier that reports file and line of a failure, and one that is not required. */
export const config = `version: 1
agent: { use: command, command: [node, tools/agent.mjs], timeout: 30s }
verifiers:
  - { name: test, run: "! grep -rn BROKEN src" }
  - { name: lint, run: "test -f README.md", required: false }
`;

export const files: Readonly<Record<string, string>> = {
  'README.md': '# widgets\n',
  '.github/coxswain.yml': config,
  'src/0.txt': 'as it was\n',
  'tools/agent.mjs': agent,
};
