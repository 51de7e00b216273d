import { type Checked, fetched, type Problem, pricedOtherwise, providerTool, stored } from './checked.ts';
import { isObject, isUnset, type JsonObject, objectsIn, objectsWithin } from './json.ts';

/** Gemini reads each name in both spellings. */
const clientTools = ['functionDeclarations', 'function_declarations', 'computerUse', 'computer_use'];

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
      Object.keys(tool).flatMap((name) => (clientTools.includes(name) ? [] : [providerTool(name)])),
    ),
    ...['cachedContent', 'cached_content']
      .filter((key) => !isUnset(body[key]))
      .map((key) => stored(`\`${key}\``)),
    ...(isUnset(body['store']) || body['store'] === false ? [] : [stored('`store: true`')]),
    ...(isUnset(tier) || /^(?:standard|flex)$/i.test(String(tier)) ? [] : [pricedOtherwise('`serviceTier`')]),
    ...['contents', 'systemInstruction', 'system_instruction'].flatMap((key) => problemsInContent(body[key])),
  ];
}

/** A list of one may be written without its brackets. */
function toolsIn(tools: unknown): readonly JsonObject[] {
  return isObject(tools) ? [tools] : objectsIn(tools);
}

/** What functions were called with, and what they answered, is the client's own matter. */
function problemsInContent(content: unknown): readonly Problem[] {
  return [...objectsWithin(content, ['args', 'response'])].flatMap((part) =>
    ['fileData', 'file_data'].flatMap((key) => (isUnset(part[key]) ? [] : [fetched(`\`${key}\``)])),
  );
}
