/**
 * Configuration of agents in the workspace, hidden from the agent: it can switch off permission prompts or
 * start programs, and anyone who can push to the branch can write it.
 */
export const agentConfiguration = [
  ...['.claude', '.codex', '.cursor', '.gemini', '.opencode', '.qwen', '.goose', '.copilot'],
  ...[
    '.mcp.json',
    'opencode.json',
    'opencode.jsonc',
    '.github/hooks',
    '.github/mcp.json',
    '.vscode/mcp.json',
  ],
];
