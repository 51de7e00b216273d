import { questionLimits } from '../../steering/shapes/question.ts';
import { shortened } from '../../text/characters.ts';
import type { AgentHost, PermissionRequest, QuestionAnswer, QuestionRequest } from '../port/agent-adapter.ts';
import { oneLine } from '../port/agent-questions.ts';
import { at, listAt, textAt } from '../port/agent-values.ts';
import type { ToolCalls } from './tool-calls.ts';

/** A tool call that was not allowed. */
export interface Refusal {
  readonly title: string;
  readonly reason: string;
  /** People said so, and the agent has not been told what they said. */
  untold: boolean;
}

interface PermissionContext {
  readonly calls: ToolCalls;
  readonly host: AgentHost;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  onRefusal(refusal: Refusal): void;
}

interface PermissionAnswer {
  readonly outcome:
    | { readonly outcome: 'selected'; readonly optionId: string }
    | { readonly outcome: 'cancelled' };
}

export const cancelled: PermissionAnswer = { outcome: { outcome: 'cancelled' } };

/**
 * Answers a `session/request_permission` as our host decides. Only ever for this one call: what an agent
 * remembers for good it writes into settings that we would not find again.
 */
export async function answerPermission(params: unknown, asked: PermissionContext): Promise<PermissionAnswer> {
  const { calls, host, signal, onRefusal } = asked;
  const raw = at(params, ['toolCall']);
  const call = calls.request(textAt(raw, 'toolCallId') ?? `unnamed-${calls.count + 1}`, raw);
  calls.announce(call);
  const request: PermissionRequest = calls.describe(call);
  const deciding = calls.decided(call, request, () => host.decide(request, signal));
  const permission = await untilAborted(deciding, signal);
  if (permission === null || 'park' in permission) {
    delete call.decision;
    return cancelled;
  }
  const once = optionOf(params, 'allow_once');
  if (permission.allow && once !== undefined) return selected(once);
  const { reason, byPeople = false } = permission.allow ? { reason: onlyForGood } : permission;
  calls.deny(call);
  onRefusal({ title: request.command ?? request.title, reason, untold: byPeople });
  const reject = optionOf(params, 'reject_once');
  return reject === undefined ? cancelled : selected(reject);
}

/** Allows a call of our own tool, which can do nothing but ask. */
export function allowedOnce(params: unknown): PermissionAnswer {
  const once = optionOf(params, 'allow_once');
  return once === undefined ? cancelled : selected(once);
}

const onlyForGood = 'it can only be allowed for good, and nobody does that';

function optionOf(params: unknown, kind: 'allow_once' | 'reject_once'): string | undefined {
  const found = listAt(params, 'options').find((option) => textAt(option, 'kind') === kind);
  return textAt(found, 'optionId');
}

function selected(optionId: string): PermissionAnswer {
  return { outcome: { outcome: 'selected', optionId } };
}

/** Null if the signal was aborted first, whatever then becomes of the decision. */
export async function untilAborted<T>(deciding: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  try {
    return await Promise.race([deciding, aborted]);
  } catch (fault) {
    if (signal.aborted) return null;
    throw fault;
  }
}

interface ElicitationContext {
  /** The agent's name. */
  readonly title: string;
  readonly host: AgentHost;
  /** Asks people for as long as the agent's turn goes on. */
  ask(question: QuestionRequest, hold?: false): Promise<QuestionAnswer>;
}

type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, Value>> }
  | { readonly action: 'decline' | 'cancel' };

type Value = string | number | boolean | readonly string[];

/**
 * Answers an `elicitation/create` with what people say. A form with one field is held for a while; one with
 * several is one question, whose answer nobody can divide among them: its agent is parked, and reads it
 * later.
 */
export async function answerElicitation(
  params: unknown,
  { title, host, ask }: ElicitationContext,
): Promise<ElicitationAnswer> {
  // Codex says there only that it asks, and what it asks in the title of a field.
  const isSaidBelow = at(params, ['_meta', 'codex']) !== undefined;
  const message = isSaidBelow ? '' : (textAt(params, 'message') ?? '');
  if ((textAt(params, 'mode') ?? 'form') !== 'form') {
    const text = `${title} wanted people to open a page, which Coxswain does not show them: ${message}`;
    host.event({ type: 'notice', text });
    return declined;
  }
  const fields = fieldsIn(params);
  const [field] = fields;
  const isOne = fields.length === 1;
  const question = isOne && field !== undefined ? questionOf(message, field) : questionOfAll(message, fields);
  const answer = isOne ? await ask(question) : await ask(question, false);
  if (answer.kind === 'parked') return { action: 'cancel' };
  const content = answer.kind === 'answered' && isOne && field && contentOf(field, answer.text);
  return content ? { action: 'accept', content } : declined;
}

const declined: ElicitationAnswer = { action: 'decline' };

interface Field {
  readonly name: string;
  readonly type: string;
  readonly title: string;
  readonly choices: readonly Choice[];
  /** A field for a text of their own, beside what people can choose from. */
  readonly custom: string | undefined;
}

interface Choice {
  readonly value: Value;
  /** People choose it by this text. */
  readonly option: string;
  readonly description: string | undefined;
}

/** The fields of a form, of which one for other words belongs to the choice that it is named after. */
function fieldsIn(params: unknown): readonly Field[] {
  const properties = at(params, ['requestedSchema', 'properties']);
  const all = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  const names = all.map(([name]) => name);
  const customOf = (name: string): string | undefined =>
    customs.map((end) => `${name}${end}`).find((each) => names.includes(each));
  const isCustom = (name: string): boolean => names.some((each) => customOf(each) === name);
  return all
    .filter(([name]) => !isCustom(name))
    .map(([name, schema]) => ({
      ...{ name, type: textAt(schema, 'type') ?? 'string', choices: choicesIn(schema) },
      title: [textAt(schema, 'title'), textAt(schema, 'description')].filter(Boolean).join(': '),
      custom: customOf(name),
    }));
}

/** How Claude and Codex name it. */
const customs = ['_custom', '_note'];

function choicesIn(schema: unknown): readonly Choice[] {
  if (textAt(schema, 'type') === 'boolean')
    return [true, false].map((value) => ({ value, option: value ? 'yes' : 'no', description: undefined }));
  const lists = [['enum'], ['oneOf'], ['items', 'enum'], ['items', 'anyOf']];
  return lists
    .flatMap((path) => listAt(schema, ...path))
    .flatMap((each) => {
      const value = typeof each === 'string' ? each : textAt(each, 'const');
      // People who want something else say so in their own words.
      if (value === undefined || value === 'None of the above') return [];
      const option = oneLine(textAt(each, 'title') ?? value);
      return [{ value, option, description: textAt(each, 'description') }];
    });
}

function questionOf(message: string, { title, type, choices }: Field): QuestionRequest {
  const described = choices.flatMap(({ option, description }) =>
    description === undefined ? [] : [`${option}: ${description}`],
  );
  const context = [message && title, ...described].filter(Boolean).join('\n');
  return {
    question: message || title,
    context: shortened(context, questionLimits.context),
    options: choices.map(({ option }) => option),
    multiple: type === 'array',
  };
}

function questionOfAll(message: string, fields: readonly Field[]): QuestionRequest {
  const lines = fields.map(({ name, title, choices }, nth) => {
    const from = choices.length > 0 ? ` (${choices.map(({ option }) => option).join(' | ')})` : '';
    return `${nth + 1}. ${title || name}${from}`;
  });
  return { question: [message, ...lines].filter(Boolean).join('\n') };
}

/** Undefined if the form has no place for the answer. */
function contentOf(field: Field, text: string): Readonly<Record<string, Value>> | undefined {
  const { name, type, choices, custom } = field;
  const inChoice = chosenIn(field, text);
  if (inChoice !== undefined) return { [name]: inChoice };
  if (choices.length > 0) return custom === undefined ? undefined : { [custom]: text };
  const number = type === 'number' || type === 'integer' ? Number(text) : Number.NaN;
  if (Number.isFinite(number) && text.trim() !== '') return { [name]: number };
  return type === 'string' ? { [name]: text } : undefined;
}

function chosenIn({ type, choices }: Field, text: string): Value | undefined {
  if (type !== 'array') return choices.find(({ option }) => option === text)?.value;
  const chosen: Choice[] = [];
  let rest = `${text}, `;
  while (rest !== '') {
    // An option may itself contain a comma.
    const next = choices
      .filter(({ option }) => rest.startsWith(`${option}, `))
      .sort((one, other) => other.option.length - one.option.length)[0];
    if (next === undefined) return undefined;
    chosen.push(next);
    rest = rest.slice(next.option.length + 2);
  }
  return chosen.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}
