import { client, RequestError } from '@agentclientprotocol/sdk';
import type { Profile, ToolServer } from '../../profiles/profile.ts';
import { at, textAt } from '../port/agent-values.ts';
import { AgentFault, faultOf, isAnswer } from './agent-faults.ts';
import type { Wire } from './wire.ts';

/** A session with an agent, ready for its first prompt. */
export type Session = Awaited<ReturnType<typeof openSession>>;

interface Opening {
  readonly profile: Profile;
  readonly workspace: string;
  readonly servers: readonly ToolServer[];
  /** Whether it may ask people. */
  readonly canAsk: boolean;
}

/** Opens a session in the mode in which the agent asks us. Throws `AgentFault` if it cannot. */
export async function openSession(connection: Connection, opening: Opening) {
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
    /** Whether it can be told something in the middle of a turn. */
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

/** A connection to an agent: its answers are values of any shape, and are read where they are needed. */
export interface Connection {
  /** Rejects with the agent's error, or with what the connection was closed with. */
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): Promise<void>;
  /** Whoever waits for an answer gets this instead. */
  close(why: Error): void;
}

/** Answers a request of the agent; undefined if we have no answer to such requests. */
type Answer = (method: string, params: unknown, signal: AbortSignal) => Promise<object> | undefined;

export function connect(wire: Wire, answer: Answer): Connection {
  const app = client({ name: 'coxswain' }).onRequest('*', ({ method, params, signal }) => {
    const answering = answer(method, params, signal);
    if (answering === undefined) throw RequestError.methodNotFound(method);
    return answering;
  });
  const connection = app.connect(wire.stream);
  return {
    request: (method, params) => connection.agent.request(method, params),
    notify: (method, params) => connection.agent.notify(method, params),
    close: (why) => connection.close(why),
  };
}

/** How long an agent is waited for, besides the time limit of the whole attempt. */
export interface Patience {
  /** How long after its start we wait for a session that is ready. */
  readonly startMs: number;
  /** How long after a prompt we wait for the first sign that it is worked on. */
  readonly underwayMs: number;
  /** How long we wait until it has been told something, such as by ending its turn. */
  readonly steerMs: number;
  /** How long we wait for the end of its turn when it is to be parked. */
  readonly parkMs: number;
  /** How long we wait for its end once its work has ended. */
  readonly exitMs: number;
}

/** Agents of several hundred megabytes are slow to start on a busy machine. */
export const usualPatience: Patience = {
  startMs: 120_000,
  underwayMs: 10_000,
  steerMs: 30_000,
  parkMs: 3_000,
  exitMs: 1_000,
};

/** Rejects with the fault if the promise is not settled in time. */
export async function within<T>(promise: Promise<T>, maxMs: number, fault: Error): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(fault), maxMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(limit);
  }
}
