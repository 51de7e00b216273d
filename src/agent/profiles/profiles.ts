import type { ProfileName, ProtocolAgent } from '../../steering/settings.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { usualExitCode } from './exit-code.ts';
import { gemini } from './gemini.ts';
import { goose } from './goose.ts';
import { opencode } from './opencode.ts';
import type { Profile } from './profile.ts';
import { qwen } from './qwen.ts';
import { titleAsCommand } from './title.ts';

const known: Readonly<Record<ProtocolAgent['use'], Profile | null>> = {
  ...{ claude, codex, opencode, gemini, copilot, qwen, goose },
  acp: null,
};

/** What we know of the agent that a configuration chooses. */
export function profileOf({ use, command = [] }: ProtocolAgent): Profile {
  return known[use] ?? unknownAgent(command);
}

/** The value of `agent` for an agent that is known by name: with a model if it does not work without one. */
export function shortestChoice(use: ProfileName): string {
  const model = known[use]?.modelNeeded;
  return model === undefined ? use : `{ use: ${use}, model: ${model} }`;
}

/** An agent of which we know only that it speaks the protocol. */
function unknownAgent([bin = '', ...args]: readonly string[]): Profile {
  return {
    name: 'acp',
    title: `the agent \`${bin}\``,
    launch: { bin, args, versionArgs: ['--version'], isScript: false },
    environment: () => ({}),
    homeFiles: () => ({}),
    session: {},
    reading: { exitCode: usualExitCode, commandIn: titleAsCommand, noise: [], modelFaults: [] },
  };
}
