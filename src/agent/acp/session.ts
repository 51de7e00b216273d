import type { Profile, ToolServer } from '../../profiles/profile.ts';
import { at, textAt } from '../port/values.ts';
import type { Connection } from './connection.ts';
import { AgentFault } from './faults.ts';
import { faultOf, isAnswer } from './model-faults.ts';

/** A session with an agent, ready for its first prompt. */
export interface Session {
  readonly id: string;
  readonly takesImages: boolean;
  /** Whether it can be told something in the middle of a turn. */
  readonly takesSteering: boolean;
}

interface Opening {
  readonly profile: Profile;
  readonly workspace: string;
  readonly servers: readonly ToolServer[];
  /** Whether it may ask people. */
  readonly canAsk: boolean;
}

/** Opens a session in the mode in which the agent asks us. Throws `AgentFault` if it cannot. */
export async function openSession(connection: Connection, opening: Opening): Promise<Session> {
  const { profile, workspace, servers, canAsk } = opening;
  const able = await asked(connection, profile, ['initialize', introduction(canAsk)]);
  const version = at(able, ['protocolVersion']);
  if (version !== protocolVersion) throw otherVersion(profile, version);
  const { meta: _meta, mode } = profile.session ?? {};
  const mcpServers = servers.map((each) => ({ ...each, env: [] }));
  const made = await asked(connection, profile, [
    'session/new',
    { cwd: workspace, mcpServers, ...(_meta && { _meta }) },
  ]);
  const id = textAt(made, 'sessionId');
  if (id === undefined)
    throw new AgentFault('agent_unusable', `${profile.title} opened a session without an id`);
  if (mode !== undefined && textAt(made, 'modes', 'currentModeId') !== mode)
    await asked(connection, profile, ['session/set_mode', { sessionId: id, modeId: mode }]);
  return {
    id,
    takesImages: at(able, ['agentCapabilities', 'promptCapabilities', 'image']) === true,
    takesSteering: at(able, ['_meta', 'steering', 'supported']) === true,
  };
}

const protocolVersion = 1;

/** Neither our files nor our terminals: an agent has its own, and these are in its sandbox. */
function introduction(canAsk: boolean) {
  return {
    protocolVersion,
    clientInfo: { name: 'coxswain', title: 'Coxswain', version: '1' },
    clientCapabilities: { session: { notices: {} }, ...(canAsk && { elicitation: { form: {} } }) },
  };
}

type Request = readonly [method: string, params: object];

async function asked(connection: Connection, profile: Profile, [method, params]: Request): Promise<unknown> {
  try {
    return await connection.request(method, params);
  } catch (fault) {
    if (!isAnswer(fault)) throw fault;
    const { failure, message } = faultOf(profile, fault, `\`${method}\``);
    // Whatever is not its model's fault makes it unusable: it has not begun yet.
    throw failure.kind === 'exit'
      ? new AgentFault('agent_unusable', message)
      : new AgentFault(failure.kind, message);
  }
}

function otherVersion({ title }: Profile, version: unknown): AgentFault {
  const theirs = typeof version === 'number' ? `version ${version}` : 'no version that we know';
  return new AgentFault(
    'agent_unusable',
    `${title} speaks ${theirs} of the Agent Client Protocol, and Coxswain speaks version ${protocolVersion}`,
  );
}
