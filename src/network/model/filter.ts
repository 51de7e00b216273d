import { noTokens, type Usage } from '../spending/budget.ts';
import {
  isEmpty,
  isModelName,
  isObject,
  isUnset,
  type JsonObject,
  objectsIn,
  objectsWithin,
} from './json.ts';
import type { Provider } from './providers.ts';
import type { Refusal } from './refusal.ts';
import type { Route } from './routes.ts';

/** A request as it is sent on. */
export interface Passed {
  /** As we wrote it, so that the provider cannot read it in another way than we did. */
  readonly body: Buffer;
  /** What it will probably use. */
  readonly likely: Usage;
}

interface Context {
  readonly provider: Provider;
  readonly route: Exclude<Route, { readonly kind: 'models' }>;
  /** Whether a provider may use the network for the agent, because the agent may itself. */
  readonly providerTools: boolean;
}

/**
 * Lets through what only makes a model think. Refused is what makes the provider fetch from the network or
 * run programs, which would be a way out for data; what it would store; and what is priced in another way.
 */
export function filter(body: JsonObject, context: Context): Passed | Refusal {
  const { route, providerTools } = context;
  const checked = check(body, context);
  const problem = checked.problems.find(({ unless }) => unless === 'never' || !providerTools);
  if (problem !== undefined) return { status: 400, reason: problem.reason };
  const model = route.kind === 'inference' && route.model !== undefined ? route.model : body['model'];
  if (route.kind === 'inference' && !isModelName(model))
    return { status: 400, reason: 'the request does not name a model' };
  const sent = Buffer.from(JSON.stringify(checked.body));
  return { body: sent, likely: likelyUsage(checked.body, String(model)) };
}

function check(body: JsonObject, { provider, route }: Context): Checked {
  if (route.format === 'messages') return checkMessages(body);
  if (route.format === 'gemini') return checkGemini(body);
  if (route.format === 'responses') return checkResponses(body);
  return checkChat(body, { isOpenAi: !provider.added });
}

/** Tools that the client runs, and the search among the tools that the request itself brings. */
const anthropicTool =
  /^(?:custom|(?:bash|text_editor|memory|computer)_20\d{6}|tool_search_tool_(?:regex|bm25)(?:_20\d{6})?)$/;

/** A tool's definition, wherever it is: providers let conversations add tools. */
const versionedTool = /_20\d{6}$|^mcp_toolset$/;

const ownSources = ['base64', 'text', 'content'];

/** Anthropic's Messages, also to count their tokens. */
export function checkMessages(body: JsonObject): Checked {
  const problems = [
    ...objectsIn(body['tools']).flatMap(problemWithAnthropicTool),
    ...(isEmpty(body['mcp_servers']) ? [] : [providerTool('mcp_servers')]),
    ...(isUnset(body['container']) ? [] : [providerTool('container')]),
    ...(isUnset(body['speed']) || body['speed'] === 'standard' ? [] : [pricedOtherwise('`speed`')]),
    ...(isUnset(body['fallbacks']) ? [] : [pricedOtherwise('`fallbacks`')]),
    ...['messages', 'system'].flatMap((key) => problemsInMessages(body[key])),
  ];
  return { body, problems };
}

function problemWithAnthropicTool({ type }: JsonObject): readonly Problem[] {
  if (isUnset(type) || (typeof type === 'string' && anthropicTool.test(type))) return [];
  return [providerTool(String(type))];
}

/** What a tool was called with is the client's own matter. */
function problemsInMessages(content: unknown): readonly Problem[] {
  return [...objectsWithin(content, ['input'])].flatMap((block) => {
    const { type, source } = block;
    const problems: Problem[] = [];
    if (typeof type === 'string' && versionedTool.test(type))
      problems.push(...problemWithAnthropicTool(block));
    if (type === 'container_upload') problems.push(stored('`container_upload`'));
    if (isObject(source) && !isUnset(source['type']) && !ownSources.includes(String(source['type']))) {
      const name = `a source of the type ${JSON.stringify(String(source['type']).slice(0, 40))}`;
      problems.push(source['type'] === 'file' ? stored(name) : fetched(name));
    }
    return problems;
  });
}

/** Tools that the client runs, and the search among the tools that the request itself brings. */
const openAiTools = [
  ...['function', 'custom', 'local_shell', 'apply_patch'],
  ...['computer', 'computer_use_preview', 'tool_search'],
];

/** OpenAI's Responses, which are stored unless a request says otherwise. */
export function checkResponses(body: JsonObject): Checked {
  const problems = [
    ...commonProblems(body),
    ...problemsWithTools(body['input']),
    ...(isOff(body['background']) ? [] : [stored('`background`')]),
    ...['previous_response_id', 'conversation', 'prompt']
      .filter((key) => !isUnset(body[key]))
      .map((key) => stored(`\`${key}\``)),
    ...objectsIn(body['input']).flatMap(({ type }) =>
      type === 'item_reference' ? [stored('an `item_reference`')] : [],
    ),
    ...problemsInInput(body['input']),
  ];
  return { body: { ...body, store: false }, problems };
}

/**
 * Chat Completions. Where they stream, the last chunk is made to say what was used. New accounts of OpenAI
 * store them; other providers may not know the setting.
 */
export function checkChat(body: JsonObject, { isOpenAi }: { readonly isOpenAi: boolean }): Checked {
  const problems = [
    ...commonProblems(body),
    ...(isUnset(body['web_search_options']) ? [] : [providerTool('web_search_options')]),
    ...problemsInInput(body['messages']),
  ];
  const options = isObject(body['stream_options']) ? body['stream_options'] : {};
  const counted = body['stream'] === true ? { stream_options: { ...options, include_usage: true } } : {};
  return { body: { ...body, ...(isOpenAi ? { store: false } : {}), ...counted }, problems };
}

/** What gateways and routers of providers add to OpenAI's own. */
const elsewhere = ['api_base', 'base_url', 'api_key', 'models', 'route', 'fallbacks', 'callbacks'];

const searching =
  /:online$|(?:^|[-/])(?:sonar|search-preview|search-api|deep-research)(?:-|$)|-search-(?:preview|api)/;

function commonProblems(body: JsonObject): readonly Problem[] {
  const { model, service_tier: tier } = body;
  return [
    ...problemsWithTools({ tools: body['tools'] }),
    ...(isOff(body['store']) ? [] : [stored('`store: true`')]),
    ...(isEmpty(body['plugins']) ? [] : [providerTool('plugins')]),
    ...elsewhere.filter((key) => !isUnset(body[key])).map((key) => redirected(`\`${key}\``)),
    ...(typeof model === 'string' && searching.test(model) ? [providerTool(model)] : []),
    ...(isUnset(tier) || ['auto', 'default', 'flex'].includes(String(tier))
      ? []
      : [pricedOtherwise('this `service_tier`')]),
  ];
}

/** Tools may also come in the middle of a conversation, and in groups. */
function problemsWithTools(value: unknown): readonly Problem[] {
  return [...objectsWithin(value, ['parameters', 'function'])].flatMap(({ tools }) =>
    objectsIn(tools).flatMap(problemWithOpenAiTool),
  );
}

function problemWithOpenAiTool(tool: JsonObject): readonly Problem[] {
  const type = String(tool['type']);
  // The tools of a namespace are looked at by themselves.
  if (openAiTools.includes(type) || type === 'namespace') return [];
  if (type === 'shell' && isObject(tool['environment']) && tool['environment']['type'] === 'local') return [];
  if (/^web_search(?:_\d|$)/.test(type) && tool['external_web_access'] === false) return [];
  return [providerTool(type)];
}

/** The arguments of tools are texts, so that every address that is found here is one for the provider. */
function problemsInInput(content: unknown): readonly Problem[] {
  return [...objectsWithin(content, ['parameters'])].flatMap((part) => [
    ...(isOwn(part['image_url']) ? [] : [fetched('an `image_url`')]),
    ...(isOwn(part['video_url']) ? [] : [fetched('a `video_url`')]),
    ...(isOwn(part['audio_url']) ? [] : [fetched('an `audio_url`')]),
    ...(isOwn(part['file_url']) ? [] : [fetched('a `file_url`')]),
    ...(typeof part['file_id'] === 'string' ? [stored('a `file_id`')] : []),
  ]);
}

/** Whether there is no address, or one that is the content itself. */
function isOwn(value: unknown): boolean {
  const address = isObject(value) ? value['url'] : value;
  return typeof address !== 'string' || /^data:/i.test(address);
}

function isOff(value: unknown): boolean {
  return isUnset(value) || value === false;
}

/** Gemini reads each name in both spellings. */
const geminiTools = ['functionDeclarations', 'function_declarations', 'computerUse', 'computer_use'];

/** Gemini's `generateContent`, also to count its tokens. */
export function checkGemini(body: JsonObject): Checked {
  const inner = body['generateContentRequest'] ?? body['generate_content_request'];
  const problems = [...problemsIn(body), ...(isObject(inner) ? problemsIn(inner) : [])];
  return { body, problems };
}

function problemsIn(body: JsonObject): readonly Problem[] {
  const tier = body['serviceTier'] ?? body['service_tier'];
  return [
    ...toolsIn(body['tools']).flatMap((tool) =>
      Object.keys(tool).flatMap((name) => (geminiTools.includes(name) ? [] : [providerTool(name)])),
    ),
    ...['cachedContent', 'cached_content']
      .filter((key) => !isUnset(body[key]))
      .map((key) => stored(`\`${key}\``)),
    ...(isUnset(body['store']) || body['store'] === false ? [] : [stored('`store: true`')]),
    ...(isUnset(tier) || /^(?:standard|flex)$/i.test(String(tier)) ? [] : [pricedOtherwise('`serviceTier`')]),
    ...['contents', 'systemInstruction', 'system_instruction'].flatMap((key) => problemsInParts(body[key])),
  ];
}

/** A list of one may be written without its brackets. */
function toolsIn(tools: unknown): readonly JsonObject[] {
  return isObject(tools) ? [tools] : objectsIn(tools);
}

/** What functions were called with, and what they answered, is the client's own matter. */
function problemsInParts(content: unknown): readonly Problem[] {
  return [...objectsWithin(content, ['args', 'response'])].flatMap((part) =>
    ['fileData', 'file_data'].flatMap((key) => (isUnset(part[key]) ? [] : [fetched(`\`${key}\``)])),
  );
}

/** Something in a request that does not pass. */
export interface Problem {
  /** What it is, and why it is refused; for people, without a full stop. */
  readonly reason: string;
  /** `open`: it passes where the agent's own network is open. `never`: it does not pass at all. */
  readonly unless: 'open' | 'never';
}

/** A request with what is wrong with it, and with our own settings put in. */
export interface Checked {
  readonly body: JsonObject;
  readonly problems: readonly Problem[];
}

const openHow = 'It passes where the configuration has `network: { agent: open }`';

/** A tool that the provider itself would run, or that we do not know. */
export function providerTool(type: string): Problem {
  const name = type.slice(0, 80);
  return {
    unless: 'open',
    reason: `the tool ${JSON.stringify(name)} would run at the provider, which has a network of its own. Switch it off in the agent. ${openHow}`,
  };
}

/** Something that the provider would fetch from elsewhere. */
export function fetched(what: string): Problem {
  return {
    unless: 'open',
    reason: `${what} makes the provider fetch an address. Send the content itself. ${openHow}`,
  };
}

/** Something that the provider would keep, or that it kept. */
export function stored(what: string): Problem {
  return { unless: 'never', reason: `${what} uses what a provider stores, and nothing may be stored there` };
}

/** Something that costs more than the price that we know. */
export function pricedOtherwise(what: string): Problem {
  return { unless: 'never', reason: `${what} is billed at another price, and a budget could not be kept` };
}

/** Something that sends a request elsewhere. */
export function redirected(what: string): Problem {
  return { unless: 'never', reason: `${what} would send the request elsewhere` };
}

/** A token has about so many characters. */
export const charactersPerToken = 4;

/** What an answer is taken to use if we never learn it, in tokens, as the following. */
const likelyAnswer = 2000;

/** About what an image or a page is counted as, however large its data are. */
const tokensPerMedium = 1600;

/** What a request will probably use. */
export function likelyUsage(body: JsonObject, model: string): Usage {
  const tokens = { ...noTokens, input: likelyInput(body), output: likelyOutput(body) };
  return { model, tokens, estimated: true };
}

const limitNames = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];

/** No more than the request allows. */
function likelyOutput(body: JsonObject): number {
  const places = [body, body['generationConfig'], body['generation_config']].filter(isObject);
  const given = places.flatMap((place) => limitNames.map((name) => place[name]));
  return Math.min(
    likelyAnswer,
    ...given.filter((limit) => typeof limit === 'number' && limit > 0).map(Number),
  );
}

function likelyInput(value: unknown): number {
  if (typeof value === 'string') return isMedium(value) ? tokensPerMedium : value.length / charactersPerToken;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + likelyInput(each), 0);
  if (!isObject(value)) return 0;
  const counts = Object.entries(value).map(
    ([key, each]) => key.length / charactersPerToken + likelyInput(each),
  );
  return Math.ceil(counts.reduce((sum, count) => sum + count, 0));
}

/** Base64 without a space in it. */
function isMedium(text: string): boolean {
  return text.length > 2000 && /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_-]{2000}/.test(text);
}
