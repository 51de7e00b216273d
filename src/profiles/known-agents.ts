/** The agents that are known by name: each line is one, and everything that depends on them follows. */
export { claude } from './claude.ts';
export { codex } from './codex.ts';
export { copilot } from './copilot.ts';
export { gemini } from './gemini.ts';
export { goose } from './goose.ts';
export { opencode } from './opencode.ts';
export { qwen } from './qwen.ts';
