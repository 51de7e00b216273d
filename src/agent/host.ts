import type { AskedCall, GateHit } from '../steering/attempt-result.ts';
import { isJudgedOnDiff, maxAsks, permitFor, usualPermissions } from '../steering/permit.ts';
import type { State } from '../steering/state.ts';
import { shortened } from '../text/cut.ts';
import { redactAll } from '../text/redact.ts';
import { gatesOnCall } from './call-gates.ts';
import type { Live } from './live.ts';
import type { AgentEvent, AgentHost, Permission, PermissionRequest } from './port.ts';
import type { ReasoningLog } from './reasoning.ts';
import type { WorkingTime } from './working-time.ts';

/** What answers an agent: the rules of its run, and people where those say so. */
export interface HostOptions {
  readonly state: State;
  readonly live: Live | undefined;
  readonly log: ReasoningLog;
  readonly time: WorkingTime;
  readonly sandboxed: boolean;
  readonly secrets: readonly string[];
  /** Called when the agent has made more tool calls than it may. */
  onTooManyCalls(limit: number): void;
  /** Called when something happened that people may want to see. */
  onEvent(event: AgentEvent): void;
}

/** A longer command is not asked about: people would allow what they cannot see. */
const maxShown = 4_000;
const maxEvidence = 300;
const maxRan = 50;

/** Answers one agent during one attempt. */
export class Host implements AgentHost {
  readonly #options: HostOptions;
  readonly #ran: GateHit[] = [];
  readonly #open = new Map<string, PermissionRequest>();
  /** Commands that people, or the rules that they set, have let through. */
  readonly #permitted = new Set<string>();
  #asks = 0;
  #calls = 0;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Rules that matched what the agent did without anybody being asked; what the diff shows is not here. */
  get ran(): readonly GateHit[] {
    const { secrets } = this.#options;
    return redactAll(this.#ran.slice(0, maxRan), secrets);
  }

  event(event: AgentEvent): void {
    this.#options.log.add(event);
    if (event.type === 'tool_open') this.#opened(event);
    if (event.type === 'tool_close') this.#closed(event);
    this.#options.onEvent(event);
  }

  /** People are asked for one thing at a time. */
  decide(request: PermissionRequest, signal: AbortSignal): Promise<Permission> {
    const deciding = this.#asking.then(() => this.#decide(request, signal));
    this.#asking = deciding.catch(() => undefined);
    return deciding;
  }

  async #decide(request: PermissionRequest, signal: AbortSignal): Promise<Permission> {
    const { state, sandboxed, log, live } = this.#options;
    const hits = gatesOnCall(request);
    const permissions = state.settings.permissions ?? usualPermissions;
    const permitting = { permissions, sandboxed, allowed_rules: live?.allowedRules() ?? [] };
    const permit = permitFor({ kind: request.kind, hits }, permitting);
    const permission =
      permit === 'ask' ? await this.#ask(request, { hits, signal }) : answerOf(permit, request, hits);
    if (!permission.allow)
      log.add({ type: 'notice', text: `denied ${nameOf(request)}: ${permission.reason}` });
    else if (hits.length > 0) this.#permitted.add(nameOf(request));
    return permission;
  }

  async #ask(
    request: PermissionRequest,
    { hits, signal }: { readonly hits: readonly GateHit[]; readonly signal: AbortSignal },
  ): Promise<Permission> {
    const { live, time, secrets } = this.#options;
    if (live === undefined) return denied('nobody can be asked');
    if (this.#asks >= maxAsks) return denied(`people were asked ${maxAsks} times in this attempt already`);
    if ((request.command ?? '').length > maxShown)
      return denied('it is too long to be shown to people: split it, or write it into a script');
    this.#asks += 1;
    const call = redactAll(asked(request, hits, this.#asks), secrets);
    const { allowed, why } = await time.except(live.ask(call, signal));
    return allowed ? { allow: true } : denied(why);
  }

  #opened(event: Extract<AgentEvent, { type: 'tool_open' }>): void {
    this.#calls += 1;
    const { live, state, onTooManyCalls } = this.#options;
    const { tool_calls: limit } = live?.limits() ?? state.settings.limits;
    if (limit !== undefined && this.#calls > limit) onTooManyCalls(limit);
    this.#open.set(event.id, event);
  }

  #closed({ id, outcome }: Extract<AgentEvent, { type: 'tool_close' }>): void {
    const call = this.#open.get(id);
    this.#open.delete(id);
    if (call === undefined || outcome === 'denied' || this.#permitted.has(nameOf(call))) return;
    const { sandboxed } = this.#options;
    const beyond = gatesOnCall(call).filter(
      (hit) => !isJudgedOnDiff({ kind: call.kind, hit }, { sandboxed }),
    );
    const known = this.#ran.map(({ rule, evidence }) => `${rule} ${evidence}`);
    for (const hit of beyond) {
      const evidence = shortened(`the agent ran it unasked: ${hit.evidence}`, maxEvidence);
      if (!known.includes(`${hit.rule} ${evidence}`)) this.#ran.push({ ...hit, evidence });
    }
  }
}

function answerOf(
  permit: 'allow' | 'deny',
  { kind }: PermissionRequest,
  hits: readonly GateHit[],
): Permission {
  if (permit === 'allow') return { allow: true };
  const rules = hits.map(({ rule }) => rule).join(', ');
  return denied(`the configuration does not allow it (${rules === '' ? kind : rules})`);
}

function denied(reason: string): Permission {
  return { allow: false, reason };
}

function nameOf({ title, command }: PermissionRequest): string {
  return command ?? title;
}

function asked({ kind, title, command }: PermissionRequest, hits: readonly GateHit[], n: number): AskedCall {
  return {
    id: `ask-${n}`,
    kind,
    title: shortened(title, maxEvidence),
    ...(command !== undefined && { command }),
    hits: hits.slice(0, 20).map((hit) => ({ ...hit, evidence: shortened(hit.evidence, maxEvidence) })),
  };
}
