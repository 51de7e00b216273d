import { type Checked, fetched, type Problem, pricedOtherwise, providerTool, stored } from './checked.ts';
import { isEmpty, isObject, isUnset, type JsonObject, objectsIn, objectsWithin } from './json.ts';

/** Tools that the client runs, and the search among the tools that the request itself brings. */
const clientTool =
  /^(?:custom|(?:bash|text_editor|memory|computer)_20\d{6}|tool_search_tool_(?:regex|bm25)(?:_20\d{6})?)$/;

/** A tool's definition, wherever it is: providers let conversations add tools. */
const versionedTool = /_20\d{6}$|^mcp_toolset$/;

const ownSources = ['base64', 'text', 'content'];

/** Anthropic's Messages, also to count their tokens. */
export function checkMessages(body: JsonObject): Checked {
  const problems = [
    ...objectsIn(body['tools']).flatMap(problemWithTool),
    ...(isEmpty(body['mcp_servers']) ? [] : [providerTool('mcp_servers')]),
    ...(isUnset(body['container']) ? [] : [providerTool('container')]),
    ...(isUnset(body['speed']) || body['speed'] === 'standard' ? [] : [pricedOtherwise('`speed`')]),
    ...(isUnset(body['fallbacks']) ? [] : [pricedOtherwise('`fallbacks`')]),
    ...['messages', 'system'].flatMap((key) => problemsInContent(body[key])),
  ];
  return { body, problems };
}

function problemWithTool({ type }: JsonObject): readonly Problem[] {
  if (isUnset(type) || (typeof type === 'string' && clientTool.test(type))) return [];
  return [providerTool(String(type))];
}

/** What a tool was called with is the client's own matter. */
function problemsInContent(content: unknown): readonly Problem[] {
  return [...objectsWithin(content, ['input'])].flatMap((block) => {
    const { type, source } = block;
    const problems: Problem[] = [];
    if (typeof type === 'string' && versionedTool.test(type)) problems.push(...problemWithTool(block));
    if (type === 'container_upload') problems.push(stored('`container_upload`'));
    if (isObject(source) && !isUnset(source['type']) && !ownSources.includes(String(source['type']))) {
      const name = `a source of the type ${JSON.stringify(String(source['type']).slice(0, 40))}`;
      problems.push(source['type'] === 'file' ? stored(name) : fetched(name));
    }
    return problems;
  });
}
