import { createHash } from 'node:crypto';
import { gatesOnCommand, gatesOnReading } from '../../gates/index.ts';
import { isAgentSetting } from '../../profiles/index.ts';
import { someOfEach } from '../../steering/iterations/observations.ts';
import {
  isJudgedOnDiff,
  maxAsks,
  permitFor,
  textOfCall,
  usualPermissions,
} from '../../steering/permission/permitted-calls.ts';
import type { AskedCall, GateHit, ToolCall } from '../../steering/shapes/attempt-result.ts';
import { type AskedQuestion, questionLimits, usualQuestions } from '../../steering/shapes/question.ts';
import type { GateSettings } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import { redactAll } from '../../text/redact.ts';
import { listed } from '../acp/tool-calls.ts';
import type { ReasoningLog } from '../port/agent-activity.ts';
import {
  type AgentEvent,
  type AgentHost,
  type Live,
  type Permission,
  type PermissionRequest,
  parking,
  type QuestionAnswer,
  type QuestionRequest,
} from '../port/agent-adapter.ts';
import { hiddenBy, questionFrom } from '../port/agent-questions.ts';
import type { WorkingTime } from './attempt-limits.ts';

/** What answers an agent: the rules of its run, and people where those say so. */
interface HostOptions {
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
  /** Called when the agent waits for people who have not answered: it is to be parked. */
  onParked(): void;
}

const maxEvidence = 300;
const maxHits = 20;

/** Answers one agent during one attempt. */
export class Host implements AgentHost {
  readonly #options: HostOptions;
  readonly #ran = new Unasked();
  readonly #open = new Map<string, PermissionRequest>();
  /** What people, or the rules that they set, have let through, and how often it has not been done yet. */
  readonly #permitted = new Map<string, number>();
  readonly #calls: ToolCall[] = [];
  readonly #pending = new Set<Promise<unknown>>();
  #granted: string | undefined;
  #asks = 0;
  #questions = 0;
  #parked: 'question' | 'permission' | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(options: HostOptions) {
    this.#options = options;
    this.#granted = options.state.parked?.granted;
  }

  /** The tool calls so far, however they ended. */
  get calls(): readonly ToolCall[] {
    const open = [...this.#open.values()].map((call) => entryOf(call, 'unknown'));
    return redactAll(listed([...this.#calls, ...open]), this.#options.secrets);
  }

  /** What people did not answer while the agent could be held; undefined if there is nothing. */
  get parked(): 'question' | 'permission' | undefined {
    return this.#parked;
  }

  /** Resolves when nothing is on its way to people any more, once the agent has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }

  /** Rules that matched what the agent did without anybody being asked; what the diff shows is not here. */
  get ran(): readonly GateHit[] {
    const { secrets } = this.#options;
    return redactAll(this.#ran.hits, secrets);
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
    // It waited for others until the turn was over, say because people told the agent something.
    if (signal.aborted) return denied('it was withdrawn');
    const { state, sandboxed, log, live } = this.#options;
    const hits = gatesOnCall(request, state.settings.gates);
    const permissions = state.settings.permissions ?? usualPermissions;
    const permitting = { permissions, sandboxed, allowed_rules: live?.allowedRules() ?? [] };
    const permit = permitFor({ kind: request.kind, hits }, permitting);
    const permission =
      permit === 'ask' ? await this.#ask(request, hits, signal) : answerOf(permit, request, hits);
    if ('park' in permission) this.#awaitPeople('permission', `whether it may ${nameOf(request)}`);
    else if (!permission.allow)
      log.add({ type: 'notice', text: `denied ${nameOf(request)}: ${permission.reason}` });
    else if (hits.length > 0) this.#permit(keyOf(request, hits));
    return permission;
  }

  #permit(key: string): void {
    this.#permitted.set(key, (this.#permitted.get(key) ?? 0) + 1);
  }

  /** Whether it was let through: each time for one call, since agents do not ask twice by themselves. */
  #takePermit(key: string): boolean {
    const left = this.#permitted.get(key) ?? 0;
    if (left > 1) this.#permitted.set(key, left - 1);
    else this.#permitted.delete(key);
    return left > 0;
  }

  async #ask(request: PermissionRequest, hits: readonly GateHit[], signal: AbortSignal): Promise<Permission> {
    const { live, secrets } = this.#options;
    if (live === undefined) return denied('nobody can be asked');
    if (this.#asks >= maxAsks) return denied(`people were asked ${maxAsks} times in this attempt already`);
    const unshown = objectionToShowing(nameOf(request), secrets) ?? objectionToPaths(request.paths, secrets);
    if (unshown !== undefined) return denied(unshown);
    const call = redactAll(asked(request, hits, this.#asks + 1), secrets);
    if (this.#granted !== undefined && textOfCall(call) === this.#granted) {
      this.#granted = undefined;
      return { allow: true };
    }
    this.#asks += 1;
    const answer = await this.#wait(live.ask(call, signal));
    if (answer === 'parked') return { park: true };
    return answer.allowed ? { allow: true } : { ...denied(answer.why), byPeople: true };
  }

  /** Several questions may be open at a time. */
  async ask(request: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswer> {
    const { live, log, secrets, state } = this.#options;
    const settings = state.settings.questions ?? usualQuestions;
    if (!settings.enabled) return this.#refused(`questions are switched off: ${assume}`);
    if (live === undefined) return this.#refused(`nobody can be asked: ${assume}`);
    const question = questionFrom(request, { settings, secrets });
    if (typeof question === 'string') return this.#refused(question);
    if (signal.aborted && signal.reason !== parking) return this.#refused('it was withdrawn');
    if (this.#questions >= questionLimits.ofRun)
      return this.#refused(
        `people were asked ${questionLimits.ofRun} times in this attempt already: ${assume}`,
      );
    this.#questions += 1;
    const asked = redactAll({ id: `question-${this.#questions}`, ...question }, secrets);
    log.add({ type: 'notice', text: `the agent asks people: ${textOfQuestion(asked)}` });
    const answer = await this.#wait(live.question(asked, signal));
    if (answer.kind === 'answered') log.answered(answer.text);
    if (answer.kind === 'refused') return this.#refused(answer.reason);
    if (answer.kind === 'parked') this.#awaitPeople('question', asked.question);
    return answer;
  }

  #refused(reason: string): QuestionAnswer {
    this.#options.log.add({ type: 'notice', text: `people were not asked: ${reason}` });
    return { kind: 'refused', reason };
  }

  #awaitPeople(what: 'question' | 'permission', about: string): void {
    this.#parked ??= what;
    this.#options.log.add({ type: 'notice', text: `nobody has answered yet: ${about}` });
    this.#options.onParked();
  }

  /** Waiting for people is no work. */
  async #wait<T>(answering: Promise<T>): Promise<T> {
    this.#pending.add(answering);
    try {
      return await this.#options.time.except(answering);
    } finally {
      this.#pending.delete(answering);
    }
  }

  #opened(event: Extract<AgentEvent, { type: 'tool_open' }>): void {
    const { live, state, onTooManyCalls } = this.#options;
    const { tool_calls: limit } = live?.limits() ?? state.settings.limits;
    this.#open.set(event.id, event);
    if (limit !== undefined && this.#calls.length + this.#open.size > limit) onTooManyCalls(limit);
  }

  #closed({ id, outcome, done }: Extract<AgentEvent, { type: 'tool_close' }>): void {
    const call = this.#open.get(id);
    this.#open.delete(id);
    if (call !== undefined) this.#calls.push(entryOf(done ?? call, outcome));
    if (outcome === 'denied') return;
    for (const said of [call, done]) if (said !== undefined) this.#judge(said);
  }

  /** What was done without having been let through is a reason to look. */
  #judge(call: PermissionRequest): void {
    const hits = gatesOnCall(call, this.#options.state.settings.gates);
    if (hits.length === 0 || this.#takePermit(keyOf(call, hits))) return;
    const { sandboxed } = this.#options;
    this.#ran.add(hits.filter((hit) => !isJudgedOnDiff({ kind: call.kind, hit }, { sandboxed })));
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

function entryOf({ kind, title, command }: PermissionRequest, outcome: ToolCall['outcome']): ToolCall {
  const line = command !== undefined && { command: shortened(command, maxCommand) };
  return { kind, title: shortened(title, maxEvidence), ...line, outcome };
}

const maxCommand = 1_000;

/** What an agent does that nobody answers. */
const assume = 'go on with an assumption and state it in your report';

function textOfQuestion({ question, context, options = [] }: AskedQuestion): string {
  return [question, context, ...options.map((option, nth) => `${nth + 1}. ${option}`)]
    .filter(Boolean)
    .join('\n');
}

function denied(reason: string) {
  return { allow: false, reason } as const;
}

function nameOf({ title, command }: PermissionRequest): string {
  return command ?? title;
}

/** Two calls with the same key do the same, as far as rules can tell. */
function keyOf(call: PermissionRequest, hits: readonly GateHit[]): string {
  const all = [call.kind, nameOf(call), hits.map(({ rule, evidence }) => [rule, evidence])];
  // Commands can be long, and of an attempt all are kept.
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

function asked(request: PermissionRequest, hits: readonly GateHit[], n: number): AskedCall {
  const { kind, title, command, paths = [] } = request;
  return {
    id: `ask-${n}`,
    kind,
    title: shortened(title, maxEvidence),
    ...(command !== undefined && { command }),
    ...(paths.length > 0 && { paths: paths.map((path) => shortened(path, maxEvidence)) }),
    hits: someOfEach(hits, maxHits).map((hit) => ({
      ...hit,
      evidence: shortened(hit.evidence, maxEvidence),
    })),
  };
}

/** People have to see what they are asked about as it is: they would allow what they cannot see. */
const maxShown = 4_000;

/**
 * Why people cannot be asked about a command, in part of a sentence that says what its agent can do;
 * undefined if they can be.
 */
function objectionToShowing(text: string, secrets: readonly string[]): string | undefined {
  if (text.length > maxShown)
    return 'it is too long to be shown to people: split it, or write it into a script';
  const hidden = hiddenBy(text, secrets);
  return hidden && objections[hidden];
}

const objections = {
  characters: 'it contains characters that people would not see: leave them out, or write it into a script',
  blanks: 'most of it is blank, so that people would not see all of it: leave that out',
  secret: 'a part of it looks like a secret, which people are not shown: read it from a variable or a file',
};

/** Why people cannot be asked about the files that a call names, all of which they have to see. */
function objectionToPaths(
  paths: readonly string[] = [],
  secrets: readonly string[] = [],
): string | undefined {
  if (paths.length > maxPaths)
    return `it names more files than the ${maxPaths} that people are shown: ask about fewer at once`;
  const hidden = paths.some(
    (path) => path.length > maxPath || objectionToShowing(path, secrets) !== undefined,
  );
  return hidden ? 'it names a file whose whole name people cannot be shown: rename it first' : undefined;
}

const maxPaths = 20;

/** Longer ones would be shown without their end. */
const maxPath = 300;

/** How many hits of a rule are kept: however often an agent does one thing, what else it does is seen. */
const maxOfEach = 10;
const maxKept = 50;

/** The rules that matched what an agent did without anybody being asked. */
class Unasked {
  readonly #hits: GateHit[] = [];
  readonly #evidence = new Map<string, Set<string>>();

  get hits(): readonly GateHit[] {
    return someOfEach(this.#hits, maxKept);
  }

  add(hits: readonly GateHit[]): void {
    for (const hit of hits) {
      const evidence = shortened(`the agent ran it unasked: ${hit.evidence}`, maxEvidence);
      const known = this.#knownOf(hit);
      if (known.has(evidence) || known.size >= maxOfEach) continue;
      known.add(evidence);
      this.#hits.push({ ...hit, evidence });
    }
  }

  #knownOf({ severity, rule }: GateHit): Set<string> {
    const name = `${severity} ${rule}`;
    const known = this.#evidence.get(name) ?? new Set();
    this.#evidence.set(name, known);
    return known;
  }
}

/** The gate rules that match a tool call, before it is made or afterwards. */
export function gatesOnCall(
  { kind, command, isCut, paths = [] }: PermissionRequest,
  gates?: GateSettings,
): readonly GateHit[] {
  const options = { isWhole: isCut !== true, isAgentSetting, ...(gates !== undefined && { gates }) };
  const byCommand = command === undefined ? [] : gatesOnCommand(command, options);
  // What an edit changes is judged by the diff, with everything else that changes.
  return kind === 'read' ? [...byCommand, ...gatesOnReading(paths, gates)] : byCommand;
}
