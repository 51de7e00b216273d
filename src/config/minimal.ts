/** A complete, working configuration, shown where a repository has none or a broken one. */
export function minimalConfig(): string {
  return `version: 1
agent: claude              # or codex, opencode, gemini, … or any program: docs/agents.md
setup: [npm ci]            # before the agent and before the verifiers
verifiers:
  - { name: test, run: npm test }
`;
}
