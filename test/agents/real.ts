import type { ProtocolAgent } from '../../src/steering/shapes/settings.ts';
import type { Step } from '../network/scripted-answers.ts';

/** A real agent, and the tools by which its model acts. */
export interface Real {
  readonly choice: Pick<ProtocolAgent, 'use' | 'model'>;
  /** Whose model it is given. */
  readonly provider: 'api.anthropic.com' | 'api.openai.com' | 'generativelanguage.googleapis.com';
  /** Replaces `hello` by `bye` in hello.txt. */
  readonly edit: readonly Step[];
  /** Runs a line of shell, in such a way that the agent asks before. */
  shell(line: string): Step;
  /** Whether it asks before it edits a file. */
  readonly asksToEdit: boolean;
  /** Whether it says how commands ended. */
  readonly tellsExitCodes: boolean;
  readonly steers: 'injected' | 'restarted_turn';
}

const patch = '*** Begin Patch\n*** Update File: hello.txt\n@@\n-hello\n+bye\n*** End Patch\n';

const call = (name: string, input: object, freeform?: string): Step => ({
  tool: { name, input, ...(freeform !== undefined && { freeform }) },
});

const file_path = '$W/hello.txt';
const replaced = { old_string: 'hello', new_string: 'bye' };

export const claude: Real = {
  choice: { use: 'claude' },
  provider: 'api.anthropic.com',
  edit: [call('Read', { file_path }), call('Edit', { file_path, ...replaced })],
  shell: (command) => call('Bash', { command, description: 'Try it' }),
  asksToEdit: true,
  tellsExitCodes: true,
  steers: 'injected',
};

export const codex: Real = {
  choice: { use: 'codex', model: 'gpt-5.5' },
  provider: 'api.openai.com',
  edit: [call('apply_patch', {}, patch)],
  shell: (cmd) =>
    call('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'Try it' }),
  asksToEdit: true,
  tellsExitCodes: true,
  steers: 'injected',
};

/** Without a model in the configuration, it takes one that acts by programs of JavaScript. */
export const codexAsItIs: Real = {
  ...codex,
  choice: { use: 'codex' },
  shell: (cmd) =>
    inProgram('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'Try it' }),
};

export function inProgram(tool: string, input: object): Step {
  return call('exec', {}, `text(JSON.stringify(await tools.${tool}(${JSON.stringify(input)})));`);
}

export const opencode: Real = {
  choice: { use: 'opencode', model: 'openai/gpt-5.5' },
  provider: 'api.openai.com',
  edit: [call('read', { filePath: file_path }), call('apply_patch', { patchText: patch })],
  shell: (command) => call('bash', { command }),
  asksToEdit: true,
  tellsExitCodes: true,
  steers: 'restarted_turn',
};

export const gemini: Real = {
  choice: { use: 'gemini', model: 'gemini-2.5-pro' },
  provider: 'generativelanguage.googleapis.com',
  edit: [
    call('read_file', { file_path: 'hello.txt' }),
    call('replace', { file_path: 'hello.txt', instruction: 'Say bye', ...replaced }),
  ],
  shell: (command) => call('run_shell_command', { command, description: 'Try it' }),
  asksToEdit: true,
  tellsExitCodes: false,
  steers: 'restarted_turn',
};

export const copilot: Real = {
  choice: { use: 'copilot', model: 'gpt-5.5' },
  provider: 'api.openai.com',
  edit: [
    call('view', { path: file_path }),
    call('bash', { command: 'sed -i s/hello/bye/ hello.txt', description: 'Edit' }),
  ],
  shell: (command) => call('bash', { command, description: 'Try it' }),
  asksToEdit: true,
  tellsExitCodes: true,
  steers: 'restarted_turn',
};

export const qwen: Real = {
  choice: { use: 'qwen', model: 'gpt-5.5' },
  provider: 'api.openai.com',
  edit: [call('read_file', { file_path }), call('edit', { file_path, ...replaced })],
  shell: (command) => call('run_shell_command', { command, is_background: false, description: 'Try it' }),
  asksToEdit: true,
  tellsExitCodes: true,
  steers: 'restarted_turn',
};

const all = [claude, codex, opencode, gemini, copilot, qwen];

/** Those to test: all, or the names in a variable. */
export const reals: readonly Real[] = all.filter(({ choice: { use } }) => {
  const { COXSWAIN_TEST_ONLY: only } = process.env;
  return only === undefined || only.split(',').includes(use);
});

/** Updates that nobody reads, and that are long. */
export const unread = ['available_commands_update', 'config_option_update', 'session_info_update'];
