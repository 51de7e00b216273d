/** The files to which both the agent and the shell script append a line in each iteration. */
export const changedFiles: readonly string[] = [1, 2, 3, 4, 5].map((number) => `src/changed${number}.js`);

export const line = '// One more line, as requested.\n';

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers:
  - { name: test, run: 'true' }
steering: { max_iterations: 50 }
sandbox: 'off'
`;

/** An agent that takes no time: only the overhead is measured. */
const script = `turns:
  - steps:
      - say: Append a line to five files.
${changedFiles.map(appendStep).join('')}`;

function appendStep(path: string): string {
  return `      - append: ${path}\n        content: ${JSON.stringify(line)}\n`;
}

export const files: Readonly<Record<string, string>> = {
  'README.md': '# widgets\n',
  'src/index.js': 'export {};\n',
  '.github/coxswain.yml': config,
  'tools/agent.yml': script,
};
