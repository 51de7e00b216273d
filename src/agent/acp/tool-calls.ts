import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Reading } from '../../profiles/profile.ts';
import type { ToolCall } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/characters.ts';
import { isOurTool } from '../human/ask-human.ts';
import type { AgentEvent, Permission, PermissionRequest } from '../port/agent-adapter.ts';
import { AgentFault } from './agent-faults.ts';
import { described, merged, resultOf, type Said, saidOf, sizeOf } from './tool-call.ts';

/** A tool call by its id, from the first that is heard of it. */
export interface Call {
  readonly id: string;
  /** What the agent has said of it, which is kept until it has ended. */
  said: Said;
  /** It only asks people, which is no work: nothing is told of it, and no report lists it. */
  isQuestion?: boolean;
  /** What was decided about it, and what was known of it then. */
  decision?: { readonly about: PermissionRequest; readonly permission: Promise<Permission> };
  /** What was told of it when it began. */
  announced?: PermissionRequest;
  exitCode?: number;
  outcome?: ToolCall['outcome'];
  /** What the report lists; absent until it has ended. */
  entry?: ToolCall;
}

interface Options {
  readonly reading: Reading;
  /** The agent's name. */
  readonly title: string;
  readonly workspace: string;
  onEvent(event: AgentEvent): void;
}

/** The tool calls of an attempt. What is heard again of one that has ended is a replay, and ignored. */
export class ToolCalls {
  readonly #options: Options;
  readonly #calls = new Map<string, Call>();
  /** The size of what was said of the calls that have not ended. */
  #kept = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get count(): number {
    return this.#calls.size;
  }

  /** A message about a call: its beginning, or an update. */
  see(id: string, raw: unknown): Call {
    return this.#hear(keyOf(id), saidOf(raw), raw);
  }

  /**
   * A request to be allowed a call. One that has ended is not asked for: an agent that numbers its calls anew
   * means another one, about which the earlier one says nothing. Nor has it ended before it is decided about,
   * whatever is said of it.
   */
  request(id: string, raw: unknown): Call {
    const key = keyOf(id);
    const earlier = this.#calls.get(key);
    if (earlier?.outcome !== undefined) {
      this.#calls.delete(key);
      this.#calls.set(`${key} (${this.#calls.size + 1}, ended)`, earlier);
    }
    const { status: _, ...said } = saidOf(raw);
    return this.#hear(key, said, raw);
  }

  #hear(id: string, said: Said, raw: unknown): Call {
    const call = this.#calls.get(id) ?? this.#open(id);
    if (call.outcome !== undefined) return call;
    call.isQuestion ||= isOurTool(raw);
    this.#keep(call, merged(call.said, said));
    const exitCode = this.#options.reading.exitCode(resultOf(raw));
    if (exitCode !== undefined) call.exitCode = exitCode;
    if (said.command !== undefined || (said.status ?? 'pending') !== 'pending') this.announce(call);
    if (said.status === 'completed' || said.status === 'failed') this.#close(call, this.#outcome(call));
    return call;
  }

  #keep(call: Call, said: Said): void {
    this.#kept += sizeOf(said) - sizeOf(call.said);
    call.said = said;
    if (this.#kept > maxKept) throw this.#fault('has begun more tool calls than can be kept in mind');
  }

  #fault(what: string): AgentFault {
    return new AgentFault('agent_unusable', `${this.#options.title} ${what}`);
  }

  /** It is one by which the agent asks people. */
  asks(id: string): void {
    const call = this.#calls.get(keyOf(id));
    if (call !== undefined) call.isQuestion = true;
  }

  describe(call: Call): PermissionRequest {
    return described(call.said, this.#options);
  }

  /**
   * The same answer for the same: OpenCode asks for one call once as for its folder and once as for its
   * command. What says anything else is decided about anew, and so is what has a part that we do not know.
   */
  decided(call: Call, about: PermissionRequest, decide: () => Promise<Permission>): Promise<Permission> {
    const { decision } = call;
    if (decision !== undefined && isSame(decision.about, about)) return decision.permission;
    const permission = decide();
    call.decision = { about, permission };
    return permission;
  }

  /** Told once it is known what it will do, which agents often say later than that it begins. */
  announce(call: Call): void {
    if (call.announced !== undefined || call.isQuestion) return;
    call.announced = this.describe(call);
    this.#options.onEvent({ type: 'tool_open', id: call.id, ...call.announced });
  }

  /** A refused call is over: some agents never mention it again. */
  deny(call: Call): void {
    if (call.outcome === undefined) this.#close(call, 'denied');
  }

  /** Closes what is open at the end of a turn: nobody will say how these calls ended. */
  abandon(): void {
    for (const call of this.#calls.values()) if (call.outcome === undefined) this.#close(call, 'unknown');
  }

  /** The report of the agent names these. */
  listed(): readonly ToolCall[] {
    const calls = [...this.#calls.values()].filter(({ isQuestion }) => !isQuestion);
    return listed(calls.map((call) => call.entry ?? this.#entry(call)));
  }

  #open(id: string): Call {
    if (this.#calls.size >= maxCalls)
      throw this.#fault(`made more than ${maxCalls.toLocaleString('en')} tool calls`);
    const call: Call = { id, said: nothing };
    this.#calls.set(id, call);
    return call;
  }

  #close(call: Call, outcome: ToolCall['outcome']): void {
    this.announce(call);
    call.outcome = outcome;
    const { id, exitCode, announced } = call;
    const done = this.describe(call);
    if (announced !== undefined)
      this.#options.onEvent({
        ...{ type: 'tool_close', id, outcome },
        ...(exitCode !== undefined && { exit_code: exitCode }),
        ...(saysMore(done, announced) && { done }),
      });
    call.entry = this.#entry(call);
    call.announced = nothingTold;
    delete call.decision;
    this.#keep(call, nothing);
  }

  /** That a command is called completed says only that it has ended, unless failed ones are called failed. */
  #outcome(call: Call): ToolCall['outcome'] {
    if (call.said.status === 'failed') return 'failed';
    if (call.exitCode !== undefined) return call.exitCode === 0 ? 'ok' : 'failed';
    const isTold = this.#options.reading.marksFailures ?? this.describe(call).kind !== 'execute';
    return isTold ? 'ok' : 'unknown';
  }

  #entry(call: Call): ToolCall {
    const { kind, title, command } = this.describe(call);
    return {
      ...{ kind, title },
      ...(command !== undefined && { command: shortened(command, maxCommand) }),
      outcome: call.outcome ?? 'unknown',
    };
  }
}

/** From the 2,001st on, calls of the same kind and outcome are one, also with those that are one already. */
export function listed(calls: readonly ToolCall[]): readonly ToolCall[] {
  return [...calls.slice(0, maxListed), ...folded(calls.slice(maxListed))];
}

/** Whether rules could find more in it than in what was told first. */
function saysMore(done: PermissionRequest, told: PermissionRequest): boolean {
  const known = told.paths ?? [];
  const paths = done.kind === 'read' ? (done.paths ?? []) : [];
  return done.command !== told.command || paths.some((path) => !known.includes(path));
}

function isSame(one: PermissionRequest, other: PermissionRequest): boolean {
  // Of a command people are shown no title.
  const seen = ({ title, ...more }: PermissionRequest) =>
    more.command === undefined ? { title, ...more } : more;
  return one.isCut === undefined && isDeepStrictEqual(seen(one), seen(other));
}

const nothing: Said = { paths: [] };
const nothingTold: PermissionRequest = { kind: 'other', title: '' };

/** Some agents take long names for their calls. */
function keyOf(id: string): string {
  return id.length <= maxId ? id : createHash('sha256').update(id).digest('hex');
}

const maxId = 200;
const maxCommand = 1_000;
/** So many characters of all calls together are kept. */
const maxKept = 64 * 1024 * 1024;
const maxListed = 2_000;
/** More than any attempt needs; whoever makes more is running in circles. */
const maxCalls = 50_000;

function folded(calls: readonly ToolCall[]): readonly ToolCall[] {
  const groups = new Map<string, { kind: string; outcome: ToolCall['outcome']; count: number }>();
  for (const { kind, outcome, title } of calls) {
    const more = /^([\d,]{1,12}) more calls$/.exec(title)?.[1];
    const times = more === undefined ? 1 : Number(more.replaceAll(',', ''));
    const group = groups.get(`${kind} ${outcome}`) ?? { kind, outcome, count: 0 };
    groups.set(`${kind} ${outcome}`, { ...group, count: group.count + times });
  }
  return [...groups.values()].map(({ kind, outcome, count }) => ({
    kind,
    title: `${count.toLocaleString('en')} more calls`,
    outcome,
  }));
}
