/** A complete, working configuration, shown where a repository has none or a broken one. */
export function minimalConfig(): string {
  return `version: 1
agent:
  use: command
  command: [node, tools/agent.mjs]   # your agent: reads the prompt from stdin and edits files
verifiers:
  - { name: test, run: npm test }
`;
}
