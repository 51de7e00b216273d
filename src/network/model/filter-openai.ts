import {
  type Checked,
  fetched,
  type Problem,
  pricedOtherwise,
  providerTool,
  redirected,
  stored,
} from './checked.ts';
import { isEmpty, isObject, isUnset, type JsonObject, objectsIn, objectsWithin } from './json.ts';

/** Tools that the client runs, and the search among the tools that the request itself brings. */
const clientTools = [
  'function',
  'custom',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use_preview',
  'tool_search',
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
    ...problemsInContent(body['input']),
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
    ...problemsInContent(body['messages']),
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
    objectsIn(tools).flatMap(problemWithTool),
  );
}

function problemWithTool(tool: JsonObject): readonly Problem[] {
  const type = String(tool['type']);
  // The tools of a namespace are looked at by themselves.
  if (clientTools.includes(type) || type === 'namespace') return [];
  if (type === 'shell' && isObject(tool['environment']) && tool['environment']['type'] === 'local') return [];
  if (/^web_search(?:_\d|$)/.test(type) && tool['external_web_access'] === false) return [];
  return [providerTool(type)];
}

/** The arguments of tools are texts, so that every address that is found here is one for the provider. */
function problemsInContent(content: unknown): readonly Problem[] {
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
