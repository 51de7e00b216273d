/** A whole configuration that works, for repositories that have none and as the example of a broken one. */
export function minimalConfig(): string {
  return `version: 1
agent:
  use: command
  command: [node, tools/agent.mjs]   # your agent: it gets the prompt on stdin and edits files
verifiers:
  - { name: test, run: npm test }
`;
}
