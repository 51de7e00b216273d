import { noTokens, type Usage } from '../spending/model-budget.ts';
import {
  isEmpty,
  isModelName,
  isObject,
  isUnset,
  type JsonObject,
  objectsIn,
  objectsWithin,
} from './json.ts';
import type { Format, Route } from './provider-routes.ts';
import type { Provider } from './providers.ts';
import type { Refusal } from './refusal.ts';

/** A request as it is sent on. */
export interface Passed {
  /** We wrote it anew, so that the provider cannot read it in another way than we did. */
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
export function filter(body: JsonObject, { provider, route, providerTools }: Context): Passed | Refusal {
  const { format, kind, model = body['model'] } = route;
  const problems = [...problemsWithSettings(body, format), ...problemsIn[format](body)];
  const problem = problems.find(({ unless }) => unless === 'never' || !providerTools);
  if (problem !== undefined) return { status: 400, reason: problem.reason };
  if (kind === 'inference' && !isModelName(model))
    return { status: 400, reason: 'the request does not name a model' };
  const sent = { ...body, ...ownSettings(body, format, provider) };
  return { body: Buffer.from(JSON.stringify(sent)), likely: likelyUsage(sent, String(model)) };
}

/**
 * OpenAI stores responses, and for new accounts chats, unless a request says otherwise; other providers may
 * not know the setting. Where chats stream, the last chunk is made to say what was used.
 */
function ownSettings(body: JsonObject, format: Format, { added }: Provider): JsonObject {
  if (format === 'responses') return { store: false };
  if (format !== 'chat') return {};
  const options = isObject(body['stream_options']) ? body['stream_options'] : {};
  const isStream = body['stream'] === true;
  return {
    ...(added ? {} : { store: false }),
    ...(isStream ? { stream_options: { ...options, include_usage: true } } : {}),
  };
}

/** Something in a request that does not pass. */
interface Problem {
  /** What it is, and why it is refused; for people, without a full stop. */
  readonly reason: string;
  /** `open`: it passes where the agent's own network is open. `never`: it does not pass at all. */
  readonly unless: 'open' | 'never';
}

const openHow = 'It passes where the configuration has `network: { agent: open }`';

/** A tool that the provider itself would run, or that we do not know. */
function providerTool(type: string): Problem {
  const name = JSON.stringify(type.slice(0, 80));
  const why = `the tool ${name} would run at the provider, which has a network of its own`;
  return { unless: 'open', reason: `${why}. Switch it off in the agent. ${openHow}` };
}

/** Something that the provider would fetch from elsewhere. */
function fetched(what: string): Problem {
  const reason = `${what} makes the provider fetch an address. Send the content itself. ${openHow}`;
  return { unless: 'open', reason };
}

/** Something that the provider would keep, or that it kept. */
function stored(what: string): Problem {
  return { unless: 'never', reason: `${what} uses what a provider stores, and nothing may be stored there` };
}

/** Something that costs more than the price that we know. */
function pricedOtherwise(what: string): Problem {
  return { unless: 'never', reason: `${what} is billed at another price, and a budget could not be kept` };
}

/** Something that sends a request elsewhere. */
function redirected(what: string): Problem {
  return { unless: 'never', reason: `${what} would send the request elsewhere` };
}

/** A setting of a request that is a problem unless it is left to the provider. */
interface Setting {
  readonly names: readonly string[];
  /** Other values that pass. */
  passes?(value: unknown): boolean;
  readonly problem: (what: string) => Problem;
  /** What the problem is with, if not the setting by its name in code. */
  readonly what?: (name: string, value: unknown) => string;
}

function problemsWithSettings(body: JsonObject, format: Format): readonly Problem[] {
  return settingsOf[format].flatMap(({ names, passes, problem, what }) =>
    names
      .filter((name) => !isUnset(body[name]) && passes?.(body[name]) !== true)
      .map((name) => problem(what?.(name, body[name]) ?? `\`${name}\``)),
  );
}

const itsName = (name: string) => name;
const isFalse = (value: unknown) => value === false;

const notStored = { names: ['store'], passes: isFalse, problem: stored, what: () => '`store: true`' };

const searching =
  /:online$|(?:^|[-/])(?:sonar|search-preview|search-api|deep-research)(?:-|$)|-search-(?:preview|api)/;

/** What gateways and routers add to every format: where a request goes, and what is added to it there. */
const elsewhere =
  'api_base base_url api_key models route fallbacks callbacks extra_body extra_headers user_config'.split(
    ' ',
  );

/** What is looked at in both formats of OpenAI. */
const common: readonly Setting[] = [
  notStored,
  { names: ['plugins'], passes: isEmpty, problem: providerTool, what: itsName },
  { names: elsewhere, problem: redirected },
  {
    names: ['model'],
    passes: (model) => typeof model !== 'string' || !searching.test(model),
    problem: providerTool,
    what: (_, model) => String(model),
  },
  {
    names: ['service_tier'],
    passes: (tier) => ['auto', 'default', 'flex'].includes(String(tier)),
    problem: pricedOtherwise,
    what: () => 'this `service_tier`',
  },
];

const settingsOf: Readonly<Record<Format, readonly Setting[]>> = {
  messages: [
    { names: ['mcp_servers'], passes: isEmpty, problem: providerTool, what: itsName },
    { names: ['container'], problem: providerTool, what: itsName },
    { names: ['speed'], passes: (speed) => speed === 'standard', problem: pricedOtherwise },
    { names: elsewhere, problem: redirected },
  ],
  responses: [
    ...common,
    { names: ['background'], passes: isFalse, problem: stored },
    { names: ['previous_response_id', 'conversation', 'prompt'], problem: stored },
  ],
  chat: [...common, { names: ['web_search_options'], problem: providerTool, what: itsName }],
  // Gemini reads each name in both spellings.
  gemini: [
    { names: ['cachedContent', 'cached_content'], problem: stored },
    { names: elsewhere, problem: redirected },
    notStored,
    {
      names: ['serviceTier', 'service_tier'],
      passes: (tier) => /^(?:standard|flex)$/i.test(String(tier)),
      problem: pricedOtherwise,
      what: () => '`serviceTier`',
    },
  ],
};

/** What is wrong with the tools and the conversation of a request. */
const problemsIn: Readonly<Record<Format, (body: JsonObject) => readonly Problem[]>> = {
  messages: ({ tools, messages, system }) => [
    ...objectsIn(tools).flatMap(problemWithAnthropicTool),
    ...problemsInBlocks([messages, system]),
  ],
  responses: ({ tools, input }) => [
    ...problemsWithTools([{ tools }, input]),
    ...objectsIn(input).flatMap(({ type }) =>
      type === 'item_reference' ? [stored('an `item_reference`')] : [],
    ),
    ...problemsInInput(input),
  ],
  chat: ({ tools, messages }) => [...problemsWithTools({ tools }), ...problemsInInput(messages)],
  gemini(body) {
    const inner = body['generateContentRequest'] ?? body['generate_content_request'];
    const more = isObject(inner) ? problemsWithSettings(inner, 'gemini') : [];
    return [...more, ...[body, inner].filter(isObject).flatMap(problemsWithGemini)];
  },
};

/** Tools that the client runs, and the search among the tools that the request itself brings. */
const anthropicTool =
  /^(?:custom|(?:bash|text_editor|memory|computer)_20\d{6}|tool_search_tool_(?:regex|bm25)(?:_20\d{6})?)$/;

/** A tool's definition, wherever it is: providers let conversations add tools. */
const versionedTool = /_20\d{6}$|^mcp_toolset$/;

const ownSources = ['base64', 'text', 'content'];

function problemWithAnthropicTool({ type }: JsonObject): readonly Problem[] {
  if (isUnset(type) || (typeof type === 'string' && anthropicTool.test(type))) return [];
  return [providerTool(String(type))];
}

/** What a tool was called with is the client's own matter. */
function problemsInBlocks(content: unknown): readonly Problem[] {
  return [...objectsWithin(content, ['input'])].flatMap((block) => {
    const { type, source } = block;
    const from = isObject(source) && !isUnset(source['type']) ? String(source['type']) : 'content';
    const name = `a source of the type ${JSON.stringify(from.slice(0, 40))}`;
    return [
      ...(typeof type === 'string' && versionedTool.test(type) ? problemWithAnthropicTool(block) : []),
      ...(type === 'container_upload' ? [stored('`container_upload`')] : []),
      ...(ownSources.includes(from) ? [] : [from === 'file' ? stored(name) : fetched(name)]),
    ];
  });
}

/** Tools that the client runs, and the search among the tools that the request itself brings. */
const openAiTools = [
  ...['function', 'custom', 'local_shell', 'apply_patch'],
  ...['computer', 'computer_use_preview', 'tool_search'],
];

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
    ...['image_url', 'video_url', 'audio_url', 'file_url']
      .filter((name) => !isOwn(part[name]))
      .map((name) => fetched(`${/^[ai]/.test(name) ? 'an' : 'a'} \`${name}\``)),
    ...contentNames
      .filter((name) => [part[name]].flat().some(isAddress))
      .map((name) => fetched(`an address as \`${name}\``)),
    ...(typeof part['file_id'] === 'string' ? [stored('a `file_id`')] : []),
  ]);
}

/** Whether there is no address, or one that is the content itself. */
function isOwn(value: unknown): boolean {
  const address = isObject(value) ? value['url'] : value;
  return typeof address !== 'string' || /^data:/i.test(address);
}

/** Where OpenAI wants the content itself, routers and other providers also take addresses. */
const contentNames = ['file_data', 'data', 'image', 'video', 'audio'];

/** Not one that is the content itself. */
function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^\s*(?!data:)[a-z][a-z\d+.-]*:/i.test(value);
}

const geminiTools = ['functionDeclarations', 'function_declarations', 'computerUse', 'computer_use'];

/**
 * A list of one tool may be written without its brackets. What functions were called with, and what they
 * answered, is the client's own matter.
 */
function problemsWithGemini({ tools, contents, ...body }: JsonObject): readonly Problem[] {
  const names = (isObject(tools) ? [tools] : objectsIn(tools)).flatMap(Object.keys);
  const conversation = [contents, body['systemInstruction'], body['system_instruction']];
  const parts = [...objectsWithin(conversation, ['args', 'response'])];
  return [
    ...names.filter((name) => !geminiTools.includes(name)).map(providerTool),
    ...['fileData', 'file_data']
      .filter((key) => parts.some((part) => !isUnset(part[key])))
      .map((key) => fetched(`\`${key}\``)),
  ];
}

/** A token has about so many characters. */
export const charactersPerToken = 4;

/** What an answer is taken to use if we never learn it, in tokens, as the following. */
const likelyAnswer = 2000;

/** About what an image or a page is counted as, however large its data are. */
const tokensPerMedium = 1600;

/** What a request will probably use. */
function likelyUsage(body: JsonObject, model: string): Usage {
  const tokens = { ...noTokens, input: likelyInput(body), output: likelyOutput(body) };
  return { model, tokens, estimated: true };
}

const limitNames = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];

/** An answer of the usual length, or what the request allows if that is less. */
function likelyOutput(body: JsonObject): number {
  const places = [body, body['generationConfig'], body['generation_config']].filter(isObject);
  const given = places.flatMap((place) => limitNames.map((name) => Number(place[name] ?? 0)));
  return Math.min(likelyAnswer, ...given.filter((limit) => limit > 0));
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

/** Whether a text is an image or another medium: those are Base64, without a space in it. */
function isMedium(text: string): boolean {
  return text.length > 2000 && /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_-]{2000}/.test(text);
}
