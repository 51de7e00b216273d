/** What the scripted model says, in the four formats. */

export interface Step {
  readonly text?: string;
  readonly tool?: {
    readonly name: string;
    readonly input: object;
    /** What a custom tool of OpenAI's Responses is called with, instead of `input`. */
    readonly freeform?: string;
    /** Of a tool that OpenAI's Responses have found by a search. */
    readonly namespace?: string;
  };
}

export interface ScriptedUsage {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

export interface Answer {
  readonly contentType: string;
  readonly text: string;
}

interface Received {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: the four formats of requests have nothing in common
  readonly body: any;
}

interface Saying {
  readonly script: readonly Step[];
  /** What it says where it is offered no tools, such as for a title; otherwise the script counts there too. */
  readonly withoutTools?: string;
  readonly usage?: Partial<ScriptedUsage>;
}

const usual: ScriptedUsage = { input: 1000, cached: 0, written: 0, output: 50 };

/** Agents take tool calls with the same id for the same. */
type Turn = Step & { readonly turn: number };

/** Undefined for a path that is not known. */
export function answerTo(
  { path, body }: Received,
  { script, usage, withoutTools }: Saying,
): Answer | undefined {
  const used = { ...usual, ...usage };
  const turn = answersIn(body) + 1;
  const scripted = script[Math.min(turn, script.length) - 1] ?? {};
  const isAside = withoutTools !== undefined && !offersTools(body);
  const step: Turn = { ...(isAside ? { text: withoutTools } : scripted), turn };
  const route = path.split('?')[0] ?? '';
  if (/\/messages\/count_tokens$/.test(route)) return json({ input_tokens: used.input });
  if (/\/messages$/.test(route)) return messages(body, step, used);
  if (/\/responses$/.test(route)) return responses(body, step, used);
  if (/\/chat\/completions$/.test(route)) return chat(body, step, used);
  if (/:countTokens$/.test(route)) return json({ totalTokens: used.input });
  const gemini = /\/models\/([^/:]+):(stream)?[gG]enerateContent$/.exec(route);
  if (gemini !== null)
    return geminiAnswer(path, { model: gemini[1] ?? '', isStream: gemini[2] !== undefined, step, used });
  if (/\/models$/.test(route)) return json({ data: [{ id: 'scripted' }] });
  return undefined;
}

/** How often the model has answered in this conversation. */
// biome-ignore lint/suspicious/noExplicitAny: the four formats of requests have nothing in common
function answersIn(body: any): number {
  const turns: { role?: string; type?: string }[] = body?.messages ?? body?.contents ?? body?.input ?? [];
  if (!Array.isArray(turns)) return 0;
  return turns.filter(
    ({ role, type }) =>
      role === 'assistant' || role === 'model' || (type !== undefined && calls.includes(type)),
  ).length;
}

const calls = ['function_call', 'custom_tool_call', 'tool_search_call'];

function json(value: object): Answer {
  return { contentType: 'application/json', text: JSON.stringify(value) };
}

function events(
  all: readonly (object & Record<string, unknown>)[],
  { named = true, done = false } = {},
): Answer {
  const texts = all.map(
    (each) => `${named ? `event: ${each['type']}\n` : ''}data: ${JSON.stringify(each)}\n\n`,
  );
  return {
    contentType: 'text/event-stream; charset=utf-8',
    text: texts.join('') + (done ? 'data: [DONE]\n\n' : ''),
  };
}

type Body = {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { include_usage?: boolean };
  readonly tools?: readonly unknown[];
  readonly input?: unknown;
};

function messages({ model, stream }: Body, { text, tool, turn }: Turn, used: ScriptedUsage): Answer {
  const read = {
    input_tokens: used.input,
    cache_read_input_tokens: used.cached,
    cache_creation_input_tokens: used.written,
  };
  const blocks = [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(tool === undefined
      ? []
      : [{ type: 'tool_use', id: `toolu_${turn}`, name: tool.name, input: tool.input }]),
  ];
  const end = { stop_reason: tool === undefined ? 'end_turn' : 'tool_use', stop_sequence: null };
  const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model };
  if (!stream)
    return json({ ...message, content: blocks, ...end, usage: { ...read, output_tokens: used.output } });
  return events([
    { type: 'message_start', message: { ...message, content: [], usage: { ...read, output_tokens: 1 } } },
    { type: 'ping' },
    ...blocks.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: 'input' in block ? { ...block, input: {} } : { type: 'text', text: '' },
      },
      {
        type: 'content_block_delta',
        index,
        delta:
          'input' in block
            ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
            : { type: 'text_delta', text: block.text },
      },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: end, usage: { output_tokens: used.output } },
    { type: 'message_stop' },
  ]);
}

/** Newer models of OpenAI are offered their tools in an item of the conversation. */
function offersTools({ tools = [], input }: Body): boolean {
  const items = Array.isArray(input) ? input : [];
  return tools.length > 0 || items.some(({ tools: own }) => Array.isArray(own) && own.length > 0);
}

function responses({ model, stream }: Body, { text, tool, turn }: Turn, used: ScriptedUsage): Answer {
  const output = [
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `m_${turn}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...(tool === undefined ? [] : [toolCall(tool, turn)]),
  ];
  const usage = {
    input_tokens: used.input + used.cached + used.written,
    input_tokens_details: { cached_tokens: used.cached, cache_write_tokens: used.written },
    output_tokens: used.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: used.input + used.cached + used.written + used.output,
  };
  const response = { id: `resp_${turn}`, object: 'response', model };
  if (!stream) return json({ ...response, status: 'completed', output, usage });
  return events([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    ...output.flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
      ...('content' in item
        ? [
            {
              type: 'response.output_text.delta',
              item_id: item.id,
              output_index: index,
              content_index: 0,
              delta: text,
            },
          ]
        : []),
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ]);
}

function toolCall({ name, input, freeform, namespace }: NonNullable<Step['tool']>, turn: number) {
  const call = { id: `f_${turn}`, call_id: `call_${turn}`, name, status: 'completed' };
  if (name === 'tool_search')
    return { ...call, type: 'tool_search_call', execution: 'client', arguments: input };
  return freeform === undefined
    ? { ...call, type: 'function_call', arguments: JSON.stringify(input), ...(namespace && { namespace }) }
    : { ...call, type: 'custom_tool_call', input: freeform };
}

function chat(
  { model, stream, stream_options }: Body,
  { text, tool, turn }: Turn,
  used: ScriptedUsage,
): Answer {
  const tool_calls =
    tool === undefined
      ? undefined
      : [
          {
            index: 0,
            id: `call_${turn}`,
            type: 'function',
            function: { name: tool.name, arguments: JSON.stringify(tool.input) },
          },
        ];
  const usage = {
    prompt_tokens: used.input + used.cached + used.written,
    prompt_tokens_details: { cached_tokens: used.cached, cache_write_tokens: used.written },
    completion_tokens: used.output,
  };
  const finish_reason = tool === undefined ? 'stop' : 'tool_calls';
  const message = { role: 'assistant', content: text ?? null, tool_calls };
  if (!stream) {
    return json({
      id: 'c_1',
      object: 'chat.completion',
      model,
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
  }
  const chunk = { id: 'c_1', object: 'chat.completion.chunk', model };
  return events(
    [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }], usage: null },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage: null },
      ...(stream_options?.include_usage ? [{ ...chunk, choices: [], usage }] : []),
    ],
    { named: false, done: true },
  );
}

interface GeminiSaying {
  readonly model: string;
  readonly isStream: boolean;
  readonly step: Step;
  readonly used: ScriptedUsage;
}

function geminiAnswer(path: string, { model, isStream, step: { text, tool }, used }: GeminiSaying): Answer {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...(tool === undefined ? [] : [{ functionCall: { name: tool.name, args: tool.input } }]),
  ];
  const metadata = (output: number) => ({
    promptTokenCount: used.input + used.cached,
    cachedContentTokenCount: used.cached,
    candidatesTokenCount: output,
    thoughtsTokenCount: 0,
  });
  const first = {
    candidates: [{ content: { role: 'model', parts } }],
    usageMetadata: metadata(1),
    modelVersion: model,
  };
  const last = {
    candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    usageMetadata: metadata(used.output),
    modelVersion: model,
  };
  if (!isStream) {
    return json({ ...last, candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });
  }
  if (/[?&]alt=sse\b/.test(path)) return events([first, last], { named: false });
  return { contentType: 'application/json', text: `[${JSON.stringify(first)},\r\n${JSON.stringify(last)}]` };
}
