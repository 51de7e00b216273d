import { describe, expect, test } from 'vitest';
import { filter } from '../../src/network/model/filter.ts';
import { routeOf } from '../../src/network/model/provider-routes.ts';
import { providersAt } from './model-fixture.ts';

const paths = {
  messages: ['api.anthropic.com', '/v1/messages'],
  responses: ['api.openai.com', '/v1/responses'],
  chat: ['api.openai.com', '/v1/chat/completions'],
  gemini: ['generativelanguage.googleapis.com', '/v1beta/models/gemini-2.5-pro:generateContent'],
} as const;

type Name = keyof typeof paths;

/** What is sent on, or why nothing is. */
function passed(name: Name, body: object, providerTools = false): object | string {
  const [host, path] = paths[name];
  const provider = providersAt('http://127.0.0.1:1').find((each) => each.host === host);
  if (provider === undefined) throw new Error(`${host} has no provider`);
  const route = routeOf(provider, { method: 'POST', path });
  if (route === undefined || route.kind === 'models') throw new Error(`${path} has no format`);
  const answer = filter({ model: 'any', ...body }, { provider, route, providerTools });
  return 'status' in answer ? answer.reason : JSON.parse(answer.body.toString());
}

const user = (content: unknown) => ({ role: 'user', content });

/** Every way we know to let a provider reach the network, or run a program. */
const waysOut: readonly (readonly [Name, object])[] = [
  ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['messages', { tools: [{ type: 'web_fetch_20260209', name: 'web_fetch' }] }],
  ['messages', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
  ['messages', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'a' }] }],
  ['messages', { tools: [{ type: 'advisor_20260301', name: 'advisor' }] }],
  ['messages', { tools: [{ type: 'bash_20250124_web', name: 'bash' }] }],
  ['messages', { tools: [{ type: ['custom'], name: 'bash' }] }],
  ['messages', { mcp_servers: [{ type: 'url', url: 'https://evil.example', name: 'a' }] }],
  ['messages', { container: { skills: [{ type: 'anthropic', skill_id: 'pdf' }] } }],
  [
    'messages',
    { messages: [user([{ type: 'image', source: { type: 'url', url: 'https://evil.example' } }])] },
  ],
  [
    'messages',
    { messages: [user([{ type: 'document', source: { type: 'url', url: 'https://evil.example' } }])] },
  ],
  [
    'messages',
    {
      messages: [
        user([
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'image', source: { type: 'url', url: 'https://evil.example' } }],
          },
        ]),
      ],
    },
  ],
  [
    'messages',
    {
      messages: [
        user([
          {
            type: 'document',
            source: {
              type: 'content',
              content: [{ type: 'image', source: { type: 'url', url: 'https://evil.example' } }],
            },
          },
        ]),
      ],
    },
  ],
  ['messages', { messages: [user([{ type: 'added', tool: { type: 'web_fetch_20260209', name: 'f' } }])] }],
  ['responses', { tools: [{ type: 'web_search' }] }],
  ['responses', { tools: [{ type: 'web_search', external_web_access: true }] }],
  ['responses', { tools: [{ type: 'web_search_preview' }] }],
  ['responses', { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://evil.example' }] }],
  ['responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
  ['responses', { tools: [{ type: 'file_search', vector_store_ids: ['a'] }] }],
  ['responses', { tools: [{ type: 'image_generation' }] }],
  ['responses', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }],
  ['responses', { tools: [{ type: 'shell' }] }],
  ['responses', { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] }] }],
  ['responses', { tools: [{ type: 'something_new' }] }],
  ['responses', { input: [{ type: 'tool_search_output', tools: [{ type: 'web_search' }] }] }],
  ['responses', { input: [user([{ type: 'input_image', image_url: 'https://evil.example' }])] }],
  ['responses', { input: [user([{ type: 'input_file', file_url: 'https://evil.example' }])] }],
  [
    'responses',
    {
      input: [
        {
          type: 'function_call_output',
          output: [{ type: 'input_image', image_url: 'https://evil.example' }],
        },
      ],
    },
  ],
  ['responses', { input: [user([{ type: 'input_file', file_data: 'https://evil.example' }])] }],
  ['responses', { model: 'o4-mini-deep-research' }],
  ['chat', { web_search_options: {} }],
  ['chat', { tools: [{ type: 'web_search' }] }],
  ['chat', { messages: [user([{ type: 'image_url', image_url: { url: 'https://evil.example' } }])] }],
  ['chat', { messages: [user([{ type: 'image_url', image_url: 'https://evil.example' }])] }],
  ['chat', { messages: [user([{ type: 'image_url', image_url: { url: ' data:x' } }])] }],
  ['chat', { messages: [user([{ type: 'file', file: { file_data: 'https://evil.example/a.pdf' } }])] }],
  ['chat', { messages: [user([{ type: 'file', file: { file_data: ' HTTP://evil.example' } }])] }],
  ['chat', { messages: [user([{ type: 'input_audio', input_audio: { data: 'https://evil.example' } }])] }],
  ['chat', { messages: [user([{ type: 'video', video: ['data:,a', 'https://evil.example/1.jpg'] }])] }],
  ['chat', { model: 'gpt-4o-search-preview' }],
  ['chat', { model: 'some/model:online' }],
  ['chat', { plugins: [{ id: 'web' }] }],
  ['gemini', { tools: [{ googleSearch: {} }] }],
  ['gemini', { tools: [{ google_search: {} }] }],
  ['gemini', { tools: [{ functionDeclarations: [], urlContext: {} }] }],
  ['gemini', { tools: [{ codeExecution: {} }] }],
  ['gemini', { tools: { google_maps: {} } }],
  ['gemini', { contents: [{ parts: [{ fileData: { fileUri: 'https://evil.example' } }] }] }],
  ['gemini', { contents: [{ parts: [{ file_data: { file_uri: 'https://evil.example' } }] }] }],
  ['gemini', { contents: { parts: { fileData: { fileUri: 'https://evil.example' } } } }],
  ['gemini', { systemInstruction: { parts: [{ fileData: { fileUri: 'https://evil.example' } }] } }],
  [
    'gemini',
    {
      contents: [
        {
          parts: [
            { functionResponse: { name: 'f', parts: [{ fileData: { fileUri: 'https://evil.example' } }] } },
          ],
        },
      ],
    },
  ],
  [
    'gemini',
    {
      generateContentRequest: { contents: [{ parts: [{ fileData: { fileUri: 'https://evil.example' } }] }] },
    },
  ],
];

describe('a way out through the provider', () => {
  test.each(waysOut)('is closed: %s %j', (name, body) => {
    expect(passed(name, body)).toEqual(expect.stringMatching(/would run at the provider|fetch an address/));
  });

  test.each(waysOut)('is open where the network is: %s %j', (name, body) => {
    expect(passed(name, body, true)).toEqual(expect.objectContaining(body));
  });
});

/** What passes nowhere. */
const never: readonly (readonly [Name, object])[] = [
  ['messages', { messages: [user([{ type: 'image', source: { type: 'file', file_id: 'a' } }])] }],
  ['messages', { messages: [user([{ type: 'container_upload', file_id: 'a' }])] }],
  ['messages', { speed: 'fast' }],
  ['messages', { fallbacks: [{ model: 'another' }] }],
  ['responses', { store: true }],
  ['responses', { store: 'yes' }],
  ['responses', { background: true }],
  ['responses', { previous_response_id: 'resp_1' }],
  ['responses', { conversation: 'conv_1' }],
  ['responses', { prompt: { id: 'pmpt_1' } }],
  ['responses', { input: [{ type: 'item_reference', id: 'a' }] }],
  ['responses', { input: [user([{ type: 'input_file', file_id: 'a' }])] }],
  ['responses', { service_tier: 'priority' }],
  ['chat', { store: true }],
  ['chat', { service_tier: 'priority' }],
  ['chat', { api_base: 'https://evil.example' }],
  ['chat', { models: ['another'] }],
  ['chat', { extra_body: { plugins: [{ id: 'web' }] } }],
  ['messages', { api_base: 'https://evil.example' }],
  ['messages', { extra_headers: { 'x-api-base': 'https://evil.example' } }],
  ['gemini', { api_base: 'https://evil.example' }],
  ['gemini', { cachedContent: 'cachedContents/a' }],
  ['gemini', { cached_content: 'cachedContents/a' }],
  ['gemini', { store: true }],
];

describe('what a provider stores, or bills in another way', () => {
  test.each(never)('does not pass, whatever the network is: %s %j', (name, body) => {
    expect(passed(name, body, true)).toEqual(expect.any(String));
  });
});

/** As agents send them. */
const used: readonly (readonly [Name, object])[] = [
  [
    'messages',
    { tools: [{ name: 'Bash', description: 'd', input_schema: { type: 'object' } }], mcp_servers: [] },
  ],
  ['messages', { tools: [{ type: 'custom', name: 'Edit', defer_loading: true, input_schema: {} }] }],
  [
    'messages',
    {
      tools: [
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'e' },
      ],
    },
  ],
  ['messages', { tools: [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }] }],
  [
    'messages',
    {
      messages: [user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } }])],
    },
  ],
  [
    'messages',
    {
      messages: [
        {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: 'a',
              name: 'fetch',
              input: { source: { type: 'url', url: 'https://a.example' } },
            },
          ],
        },
      ],
    },
  ],
  ['responses', { tools: [{ type: 'web_search', external_web_access: false }] }],
  ['responses', { tools: [{ type: 'custom', name: 'apply_patch' }, { type: 'local_shell' }] }],
  ['responses', { tools: [{ type: 'namespace', name: 'mcp', tools: [{ type: 'function', name: 'f' }] }] }],
  [
    'responses',
    {
      tools: [{ type: 'function', name: 'f', parameters: { properties: { image_url: { type: 'string' } } } }],
    },
  ],
  ['responses', { input: [user([{ type: 'input_image', image_url: 'data:image/png;base64,AA' }])] }],
  ['responses', { store: false, background: false, previous_response_id: null }],
  ['chat', { tools: [{ type: 'function', function: { name: 'read', parameters: {} } }] }],
  ['chat', { messages: [user([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }])] }],
  ['gemini', { tools: [{ functionDeclarations: [{ name: 'read_file' }] }] }],
  [
    'gemini',
    { contents: [{ parts: [{ functionCall: { name: 'f', args: { fileData: 'https://a.example' } } }] }] },
  ],
];

describe('what agents send', () => {
  test.each(used)('passes as it is: %s %j', (name, body) => {
    expect(passed(name, body)).toEqual(expect.objectContaining(body));
  });

  test('is not stored, although OpenAI stores what says nothing about it', () => {
    expect(passed('responses', {})).toEqual({ model: 'any', store: false });
    expect(passed('responses', { store: null })).toEqual({ model: 'any', store: false });
    expect(passed('chat', {})).toEqual({ model: 'any', store: false });
  });

  test('says what it used, also if it streams', () => {
    const stream_options = { include_usage: false, include_obfuscation: false };
    expect(passed('chat', { stream: true, stream_options })).toMatchObject({
      stream_options: { include_usage: true, include_obfuscation: false },
    });
  });
});

test('a refusal says what it is about, who refuses it, and what can be done', () => {
  const body = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
  expect(passed('messages', body)).toMatchInlineSnapshot(
    `"the tool "web_search_20250305" would run at the provider, which has a network of its own. Switch it off in the agent. It passes where the configuration has \`network: { agent: open }\`"`,
  );
});
