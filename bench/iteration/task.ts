/** What the agent of this benchmark leaves at every iteration, and the script's hand too. */
export const changedFiles: readonly string[] = [1, 2, 3, 4, 5].map((number) => `src/changed${number}.js`);

export const line = '// One more line, as it was asked for.\n';

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers:
  - { name: test, run: 'true' }
steering: { max_iterations: 50 }
sandbox: 'off'
`;

/** An agent that takes no time: what is measured is everything round it. */
const script = `turns:
  - steps:
      - say: One line more in five files.
${changedFiles.map(appending).join('')}`;

function appending(path: string): string {
  return `      - append: ${path}\n        content: ${JSON.stringify(line)}\n`;
}

export const files: Readonly<Record<string, string>> = {
  'README.md': '# widgets\n',
  'src/index.js': 'export {};\n',
  '.github/coxswain.yml': config,
  'tools/agent.yml': script,
};
