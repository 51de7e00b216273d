import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Answer as Counted, meter } from '../../src/network/model/usage.ts';
import { noTokens } from '../../src/network/spending/model-budget.ts';
import { questions, streams } from './model-fixture.ts';
import { type Answer, answerTo } from './scripted-answers.ts';

const used = { input: 1200, cached: 300, written: 40, output: 77 };
const likely = { model: 'asked', tokens: { ...noTokens, input: 500, output: 2000 }, estimated: true };

/** What a model writes can look like anything. */
const script = [
  {
    text: 'äöü 😀 "usage":{"output_tokens":9} \\" \r\n data: {"usage":{"output_tokens":9}}\n\n',
    tool: {
      name: 'f',
      input: { usage: { input_tokens: 9, output_tokens: 9 }, usageMetadata: { promptTokenCount: 9 } },
    },
  },
];

const formats = {
  messages: 'messages',
  responses: 'responses',
  chat: 'chat',
  gemini: 'gemini',
  geminiEvents: 'gemini',
  geminiList: 'gemini',
} as const;

const cases = Object.entries({
  ...questions,
  ...Object.fromEntries(Object.entries(streams).map(([name, each]) => [`${name} stream`, each])),
}).map(([name, { path, body }]) => {
  const format = formats[name.replace(' stream', '') as keyof typeof formats]; // the names above are made of these
  const asked = 'stream' in body ? { ...body, stream_options: { include_usage: true } } : body;
  const answer = answerTo({ path, body: asked }, { script, usage: used });
  if (answer === undefined) throw new Error(`${path} is not known`);
  return [name, format, answer] as const;
});

function counting(format: Counted['format'], { contentType }: Answer) {
  return meter({ format, isEvents: contentType.startsWith('text/event-stream'), likely });
}

function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const ends = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
}

describe('what an answer used', () => {
  test.each(cases)('is counted, wherever its bytes are split: %s', (name, format, answer) => {
    const bytes = Buffer.from(answer.text);
    const written = format === 'gemini' ? 0 : 40;
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
        const counted = counting(format, answer);
        for (const piece of pieces(bytes, cuts)) counted.write(piece);
        counted.end();
        expect(counted.usage(), name).toMatchObject({
          tokens: { input: 1200, cached_input: 300, cache_write: written, output: 77 },
          estimated: false,
        });
      }),
    );
  });

  test.each(cases)('is counted byte by byte: %s', (_, format, answer) => {
    const counted = counting(format, answer);
    for (const byte of Buffer.from(answer.text)) counted.write(Buffer.of(byte));
    counted.end();
    expect(counted.usage()).toMatchObject({ tokens: { input: 1200, output: 77 }, estimated: false });
  });

  test.each(cases)('is never nothing, wherever the answer breaks off: %s', (_, format, answer) => {
    const bytes = Buffer.from(answer.text);
    fc.assert(
      fc.property(fc.nat(bytes.length - 3), (end) => {
        const counted = counting(format, answer);
        counted.write(bytes.subarray(0, end));
        const { tokens, estimated } = counted.usage();
        expect(tokens.input).toBeGreaterThanOrEqual(500);
        // Where the provider has said all of it, nothing is missing.
        expect(estimated || tokens.output === 77).toBe(true);
      }),
    );
  });

  test('is estimated from what was written, if the answer breaks off', () => {
    const counted = meter({ format: 'messages', isEvents: true, likely });
    const start = {
      type: 'message_start',
      message: { model: 'real', usage: { input_tokens: 900, output_tokens: 1 } },
    };
    const delta = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(4000) },
    };
    for (const each of [start, delta]) counted.write(Buffer.from(`data: ${JSON.stringify(each)}\n\n`));
    expect(counted.usage()).toEqual({
      model: 'real',
      tokens: { ...noTokens, input: 900, output: 1000 },
      estimated: true,
    });
  });

  test('tells what is kept for an hour from what is kept for minutes', () => {
    const counted = meter({ format: 'messages', isEvents: false, likely });
    const usage = {
      input_tokens: 1,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 },
      output_tokens: 2,
    };
    counted.write(Buffer.from(JSON.stringify({ usage })));
    counted.end();
    expect(counted.usage().tokens).toMatchObject({ cache_write: 30, long_cache_write: 70 });
  });

  test('contains Gemini’s thoughts', () => {
    const counted = meter({ format: 'gemini', isEvents: false, likely });
    const usageMetadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 70,
      toolUsePromptTokenCount: 3,
    };
    counted.write(Buffer.from(JSON.stringify({ usageMetadata })));
    counted.end();
    expect(counted.usage()).toMatchObject({ tokens: { input: 13, output: 75 }, estimated: false });
  });

  test('is not what a model wrote', () => {
    const counted = meter({ format: 'messages', isEvents: false, likely });
    const content = [{ type: 'tool_use', input: { 'usage.output_tokens': 1, usage: { output_tokens: 1 } } }];
    counted.write(Buffer.from(JSON.stringify({ content, usage: { input_tokens: 5, output_tokens: 6 } })));
    counted.end();
    expect(counted.usage().tokens).toEqual({ ...noTokens, input: 5, output: 6 });
  });

  test('names no model whose name cannot be shown to people', () => {
    const counted = meter({ format: 'chat', isEvents: false, likely });
    counted.write(Buffer.from(JSON.stringify({ model: '[click](https://evil.example)', constructor: 5 })));
    counted.end();
    expect(counted.usage().model).toBe('asked');
  });

  test.each([true, false])('needs no more memory for an endless answer, of events: %j', (isEvents) => {
    const counted = meter({ format: 'responses', isEvents, likely });
    const before = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const piece = Buffer.alloc(65_536, 'x');
    counted.write(Buffer.from('data: {"response":{"output":"'));
    for (let index = 0; index < 1000; index++) counted.write(piece);
    const after = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    counted.end();
    expect(counted.usage()).toMatchObject({ tokens: { input: 500 }, estimated: true });
    expect(counted.usage().tokens.output).toBeGreaterThan(16_000_000);
    expect(after - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('is not looked for at any depth', () => {
    const counted = meter({ format: 'gemini', isEvents: false, likely });
    counted.write(Buffer.from(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`));
    counted.end();
    expect(counted.usage()).toMatchObject({ tokens: { input: 500, output: 0 } });
  });

  test('any bytes at all do no harm', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), fc.boolean(), (chunks, isEvents) => {
        const counted = meter({ format: 'gemini', isEvents, likely });
        for (const chunk of chunks) counted.write(chunk);
        counted.end();
        expect(Number.isFinite(counted.usage().tokens.output)).toBe(true);
      }),
    );
  });
});
