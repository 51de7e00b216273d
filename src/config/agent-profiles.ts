import type { AgentChoice, ProfileName } from '../steering/settings.ts';

/** What a configuration has to know of an agent; how to start it is known where agents are started. */
export interface AgentFacts {
  /** As its makers write it. */
  readonly title: string;
  /**
   * What it puts before us ahead of doing it: every call that acts on the world; all but the commands that
   * its own sandbox allows, whatever they do; or nothing.
   */
  readonly asks: 'every_call' | 'escalations' | 'nothing';
  /** The variables that may hold its model's key, in the order in which they count. */
  readonly keys: readonly string[];
  /** Whether `agent.model` and `agent.effort` reach it. */
  readonly takes: { readonly model: boolean; readonly effort: boolean };
}

const openai = ['OPENAI_API_KEY'];
const anthropic = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
const gemini = ['GEMINI_API_KEY', 'GOOGLE_API_KEY'];
const any = [...anthropic, ...openai, ...gemini];

/** Every variable that holds the key of a model. */
export const modelKeys: readonly string[] = any;

export const agentProfiles: Readonly<Record<ProfileName, AgentFacts>> = {
  claude: {
    title: 'Claude Code',
    asks: 'every_call',
    keys: anthropic,
    takes: { model: true, effort: false },
  },
  codex: { title: 'Codex', asks: 'escalations', keys: openai, takes: { model: true, effort: true } },
  opencode: { title: 'OpenCode', asks: 'every_call', keys: any, takes: { model: true, effort: false } },
  gemini: { title: 'Gemini CLI', asks: 'every_call', keys: gemini, takes: { model: true, effort: false } },
  copilot: {
    title: 'GitHub Copilot CLI',
    asks: 'every_call',
    keys: openai,
    takes: { model: true, effort: false },
  },
  qwen: { title: 'Qwen Code', asks: 'every_call', keys: openai, takes: { model: true, effort: false } },
  goose: { title: 'Goose', asks: 'every_call', keys: any, takes: { model: true, effort: false } },
};

/** In the order of the reference. */
export const profileNames = Object.keys(agentProfiles) as readonly ProfileName[]; // by its type

/** Those that are packages of npm. */
export const installableNames = profileNames.filter((name) => name !== 'goose');

/** Every value of `agent.use`. */
export const agentUses: readonly AgentChoice['use'][] = ['command', 'scripted', 'acp', ...profileNames];
