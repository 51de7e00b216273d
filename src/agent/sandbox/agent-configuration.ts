/**
 * Configuration of agents in the workspace, hidden from the agent: it can switch off permission prompts or
 * start programs, and anyone who can push to the branch can write it.
 */
export const agentConfiguration = [
  ...['.claude', '.codex', '.cursor', '.gemini', '.opencode', '.qwen', '.goose', '.copilot'],
  ...['.github/hooks', '.github/copilot', '.github/agents', '.github/mcp.json', '.vscode/mcp.json'],
  ...['.mcp.json', 'opencode.json', 'opencode.jsonc'],
];
