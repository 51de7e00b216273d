/** A repository whose agent works for longer than the benchmark takes. */
const config = `version: 1
agent: { use: scripted, script: tools/agent.yml, timeout: 55m }
verifiers:
  - { name: test, run: 'true' }
sandbox: 'off'
`;

const script = `turns:
  - steps:
      - say: This will take a while.
      - wait: 50m
`;

export const files: Readonly<Record<string, string>> = {
  'README.md': '# widgets\n',
  '.github/coxswain.yml': config,
  'tools/agent.yml': script,
};
