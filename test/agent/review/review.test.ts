import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { VerifyOutcome } from '../../../src/agent/port/assignment.ts';
import type { NetworkKit } from '../../../src/agent/port/attempt-network.ts';
import { openSpending } from '../../../src/network/spending/open-spending.ts';
import type { Cost } from '../../../src/steering/shapes/attempt-result.ts';
import type { AgentChoice, Settings } from '../../../src/steering/shapes/settings.ts';
import type { Concern, Review, State } from '../../../src/steering/state/state.ts';
import { folder, providersAt } from '../../network/model-fixture.ts';
import { type Fault, scriptedModel } from '../../network/scripted-model.ts';
import { type AgentFixture, agentFixture, verifyBy } from '../agent-fixture.ts';
import { commitOn } from '../commit-on.ts';
import { iterationOf } from '../states.ts';

const lines = (...texts: readonly string[]): string => `${texts.join('\n')}\n`;
const files = { 'src/a.txt': lines('one', 'two', 'three', 'four', 'five'), 'src/b.txt': 'b\n' };
const sure = `echo '{"confidence": 0.8}'`;

describe('a reviewer', () => {
  test('is asked once the verifiers have passed, and told the change without what its author says', async () => {
    const on = await agentFixture(files);
    const commit = commitOn(on, { 'src/b.txt': 'better\n' });
    const stages: string[] = [];
    const outcome = await reviewedBy('cat $COXSWAIN_PROMPT_FILE > /dev/null; '.concat(sure), on, {
      commit,
      onProgress: (verifiers, trial) =>
        stages.push(`${trial ?? ''} ${verifiers.map(({ result }) => result?.success ?? '?').join()}`),
    });
    expect(outcome.review).toEqual({
      by: expect.stringContaining('command: ["sh"'),
      ...{ confidence: 0.8, concerns: [], resolved: [], withdrawn: [], touched: [] },
    });
    expect(stages.at(-1)).toBe('review true');
    expect(promptOf(outcome)).toMatch(/- test: passed\n[\s\S]*\n-b\n\+better\n/);
    expect(promptOf(outcome)).not.toContain('Eve');
    expect(outcome.artefacts.map(({ path }) => path.split('/').slice(3).join('/'))).toEqual([
      'implement/verifiers/test.json',
      ...['review/prompt.md', 'review/reasoning.md', 'review/review.json'],
    ]);
  });

  test('is not asked where a required verifier failed, nor where nobody needs it any more', async () => {
    const on = await agentFixture(files);
    expect(await reviewedBy(sure, on, { run: { test: 'false' } })).not.toHaveProperty('review');
    expect(await reviewedBy(sure, on, { enough: AbortSignal.abort() })).not.toHaveProperty('review');
  });

  test('is asked again about the same commit only if its opinion did not count', async () => {
    const on = await agentFixture(files);
    const before = reviewOn(on.head, []);
    expect(await reviewedBy(sure, on, { state: { review: before } })).not.toHaveProperty('review');
    const without = { ...before, confidence: null, problem: 'it said nothing' };
    expect((await reviewedBy(sure, on, { state: { review: without } })).review?.confidence).toBe(0.8);
  });

  // Without a sandbox, people are asked about such a command before it starts.
  test('changes nothing: what it writes, commits and leaves running is gone', {
    tags: ['bubblewrap'],
  }, async () => {
    const on = await agentFixture(files);
    const refs = on.git('for-each-ref');
    const marker = `sleep 7${process.pid}.5`;
    const script = `echo evil > src/a.txt; rm -rf src; git commit -qam x; git update-ref refs/heads/main HEAD~0;
      git push -q origin HEAD:refs/heads/evil; setsid ${marker} & ${marker} & ${sure}`;
    const outcome = await reviewedBy(script, on);
    expect(outcome).toMatchObject({ head: on.head, review: { confidence: 0.8 } });
    expect(on.git('for-each-ref')).toBe(refs);
    expect(() => execFileSync('pgrep', ['-f', marker])).toThrow();
  });

  test('says no secret', async () => {
    const on = await agentFixture(files, { secrets: ['s3cret-value'] });
    const concern = { file: 's3cret-value', severity: 'low', text: 'It is s3cret-value.' };
    const outcome = await reviewedBy(saying({ confidence: 1, concerns: [concern] }), on);
    expect(outcome.review?.concerns).toHaveLength(1);
    expect(JSON.stringify(outcome)).not.toContain('s3cret-value');
  });

  test('gives an opinion that is longer than a report', async () => {
    const concerns = Array.from({ length: 60 }, (_, n) => ({
      ...{ file: `src/${n}.txt`, severity: 'low', text: 'long '.repeat(150) },
    }));
    const on = await agentFixture({ ...files, 'said.json': JSON.stringify({ confidence: 0.2, concerns }) });
    const { review } = await reviewedBy('cat said.json', on);
    expect(review).toMatchObject({ confidence: 0.2, omitted: 10 });
  });

  test('is told its role and the instructions of its stage, or why there are none', async () => {
    const on = await agentFixture({ ...files, 'docs/review.md': 'Look at the sums.\n' });
    const told = (file: string) => ({ ...sh(sure), instructions: 'Be strict.', told: { file } });
    const outcome = await reviewedBy(sure, on, { settings: { review: told('docs/review.md') } });
    expect(promptOf(outcome)).toContain('### Your Role\nBe strict.\n\n### Your Stage\nLook at the sums.\n');
    const none = await reviewedBy(sure, on, { settings: { review: told('docs/none.md') } });
    expect(none.review?.problem).toContain('the stage review cannot begin');
  });

  test('is told what people have steered', async () => {
    const on = await agentFixture(files);
    const source = { from: 'comment', comment_id: 1, text_sha256: '', written_at: '' } as const;
    const steers = [{ author: 'ada', prompt: 'In euros', source }];
    const iterations = [
      iterationOf(0, { head_before: on.head }),
      iterationOf(1, { head_before: on.head, steers }),
    ];
    const outcome = await reviewedBy(sure, on, { state: { iteration: 1, iterations } });
    expect(promptOf(outcome)).toMatch(/### What People Asked for Since\n.*\n\nIteration 1: In euros\n/);
  });
});

describe('there is no opinion that counts, and the verification stands,', () => {
  test.each<[string, string, string]>([
    ['if it fails', 'echo bad >&2; exit 3', 'exit code 3'],
    ['if it says nothing', 'true', 'it said nothing'],
    ['if it gives up', `${report({ summary: 'No.', status: 'cannot' })}`, 'No.'],
    ['if its report is garbage', 'echo x > $COXSWAIN_REPORT_FILE', 'could not be understood'],
    ['if it does not end', 'sleep 600', 'did not finish within 2 s'],
  ])('%s', async (_, script, problem) => {
    const on = await agentFixture(files);
    const { review, ...outcome } = await reviewedBy(script, on, { settings: { review: sh(script, 2) } });
    expect(outcome).toMatchObject({ kind: 'verified', verifiers: [{ success: true }] });
    expect(review).toMatchObject({ confidence: null, problem: expect.stringContaining(problem) });
  });

  test('if it does not exist', async () => {
    const on = await agentFixture(files);
    const agent = { use: 'command', command: ['no-such-agent'], timeout_s: 20 } as const;
    const { review } = await reviewedBy('', on, { settings: { review: { agent } } });
    expect(review?.problem).toContain('`no-such-agent` was not found');
  });

  test('if its model has no key, though that of the work has one', async () => {
    const on = await agentFixture(files, { network: kitAt('http://127.0.0.1:9', ['ANTHROPIC_API_KEY']) });
    const agent = { use: 'codex', timeout_s: 20 } as const;
    const { review } = await reviewedBy('', on, { settings: { review: { agent } } });
    expect(review?.problem).toMatch(/^Codex needs the key of its model: expected .*OPENAI_API_KEY/);
  });

  test('if the mirror has a fault', async () => {
    const on = await agentFixture(files);
    const outcome = await reviewedBy(sure, on, {
      onProgress: (_, trial) => {
        if (trial === 'review') rmSync(join(on.mirror.dir, 'objects'), { recursive: true });
      },
    });
    expect(outcome.review?.problem).toBe('a fault of Coxswain kept it from being asked');
  });

  test.each<[string, Fault, RegExp]>([
    ['refuses its key', { status: 401 }, /refuses .*key/],
    ['has no more', { status: 429, headers: { 'retry-after': '7200' } }, /its model has hit its usage limit/],
  ])('if its model %s', async (_, fault, problem) => {
    const { review } = await askingModel(fault);
    expect(review).toMatchObject({ confidence: null, problem: expect.stringMatching(problem) });
  });
});

describe('what it costs', () => {
  test('is in its opinion', async () => {
    const { review } = await askingModel(undefined);
    expect(review).toMatchObject({ confidence: 0.8, cost: { tokens: expect.any(Number) } });
    expect(review?.cost?.usd).toBeGreaterThan(0);
  });

  test('counts with what the run has cost before, and ends it at the budget', async () => {
    const { review, requests } = await askingModel(undefined, {
      limits: { minutes: 60, tokens: 5_000 },
      cost: { tokens: 5_000 },
    });
    expect(review).toMatchObject({ confidence: null, problem: expect.stringContaining('tokens') });
    expect(requests).toBe(0);
  });
});

test('a reviewer has the limits of its profile where they are stricter', async () => {
  const { review, requests } = await askingModel(undefined, { own: { tokens: 100 }, cost: { tokens: 100 } });
  expect(review?.problem).toContain('100 tokens');
  expect(requests).toBe(0);
});

describe('a verification that is cancelled', () => {
  test('while somebody is asked ends as it does without', async () => {
    const on = await agentFixture(files);
    const stop = new AbortController();
    const outcome = await verified('sleep 600', on, {
      signal: stop.signal,
      onProgress: (_, trial) => trial === 'review' && stop.abort(),
    });
    expect(outcome).toEqual({ kind: 'cancelled' });
  });

  test('of which only the opinion is not needed any more keeps the rest', async () => {
    const on = await agentFixture(files);
    const enough = new AbortController();
    const outcome = await reviewedBy('sleep 600', on, {
      enough: enough.signal,
      onProgress: (_, trial) => trial === 'review' && enough.abort(),
    });
    expect(outcome).toMatchObject({
      kind: 'verified',
      review: { confidence: null, problem: 'it was stopped' },
    });
  });
});

describe('the next opinion', () => {
  const at = (id: string, line?: number): Concern => ({
    ...{ id, file: 'src/a.txt', severity: 'low', text: `about ${id}`, state: 'open' },
    ...(line !== undefined && { line }),
  });
  const all = [at('c1', 2), at('c2', 4), at('c3')];

  test.each<
    [string, Readonly<Record<string, string | null>>, readonly string[], Readonly<Record<string, number>>]
  >([
    ['elsewhere', { 'src/b.txt': 'new\n' }, [], { c1: 2, c2: 4 }],
    [
      'above',
      { 'src/a.txt': lines('zero', 'one', 'two', 'three', 'four', 'five') },
      ['c3'],
      { c1: 3, c2: 5 },
    ],
    ['between', { 'src/a.txt': lines('one', 'two', 'four', 'five') }, ['c3'], { c1: 2, c2: 3 }],
    ['on the line', { 'src/a.txt': lines('one', '2', 'three', 'four', 'five') }, ['c1', 'c3'], { c2: 4 }],
    [
      'right after the line',
      { 'src/a.txt': lines('one', 'two', '2½', 'three', 'four', 'five') },
      ['c1', 'c3'],
      { c2: 5 },
    ],
    ['all of it', { 'src/a.txt': 'x\n' }, ['c1', 'c2', 'c3'], {}],
    ['it is deleted', { 'src/a.txt': null }, ['c1', 'c2', 'c3'], {}],
    ['it is renamed', { 'src/a.txt': null, 'src/c.txt': files['src/a.txt'] }, ['c1', 'c2', 'c3'], {}],
  ])('knows whose lines have changed: %s', async (_, changed, touched, moved) => {
    const on = await agentFixture(files);
    const commit = commitOn(on, changed);
    const outcome = await reviewedBy(sure, on, { commit, state: { review: reviewOn(on.head, all) } });
    expect(outcome.review).toMatchObject({ touched });
    expect(outcome.review?.lines).toEqual(moved);
  });

  test('is on what has changed since, and settles what was open', async () => {
    const on = await agentFixture(files);
    const first = commitOn(on, { 'src/b.txt': 'first\n' });
    on.git('update-ref', 'refs/heads/main', first);
    const commit = commitOn(on, { 'src/a.txt': 'second\n' });
    on.git('update-ref', 'refs/heads/main', on.head);
    const script = saying({ confidence: 0.9, resolved: ['c1', 'c99'], withdrawn: ['c2'] });
    const outcome = await reviewedBy(script, on, { commit, state: { review: reviewOn(first, all) } });
    expect(outcome.review).toMatchObject({ resolved: ['c1', 'c99'], withdrawn: ['c2'] });
    expect(promptOf(outcome)).toContain('### What Has Changed Since\n');
    expect(promptOf(outcome)).toContain('+second');
    expect(promptOf(outcome)).not.toContain('+first');
    expect(promptOf(outcome)).toContain('- c1 (low) src/a.txt:2: about c1\n');
  });

  test('is on everything where the commit of the one before is not part of the branch, or is lost', async () => {
    const on = await agentFixture(files);
    const replaced = commitOn(on, { 'src/b.txt': 'first\n' });
    const commit = commitOn(on, { 'src/b.txt': 'second\n' });
    for (const head of [replaced, 'f'.repeat(40)]) {
      const outcome = await reviewedBy(sure, on, { commit, state: { review: reviewOn(head, all) } });
      expect(promptOf(outcome)).toContain('### The Change\n');
      expect(promptOf(outcome)).toContain('+second');
    }
  });
});

test('of a large change the beginning is shown, and how to see the rest, which works', {
  tags: ['bubblewrap'],
}, async () => {
  const on = await agentFixture(files);
  const commit = commitOn(on, { 'big.txt': 'a line of text\n'.repeat(20_000), 'src/b.txt': 'small\n' });
  const script = `eval "$(grep -o 'git diff [0-9a-f]*\\.\\.\\.HEAD' $COXSWAIN_PROMPT_FILE)" | wc -c >&2; ${sure}`;
  const outcome = await reviewedBy(script, on, { commit });
  expect(outcome.review?.confidence).toBe(0.8);
  expect(promptOf(outcome).length).toBeLessThan(250_000);
  expect(promptOf(outcome)).toContain('\n+small\n');
  const log = outcome.artefacts.find(({ path }) => path.endsWith('review/reasoning.md'))?.content;
  expect(log).toMatch(/3\d{5}/);
});

type Options = Omit<NonNullable<Parameters<typeof verifyBy>[2]>, 'onProgress' | 'settings'> & {
  readonly run?: Readonly<Record<string, string>>;
  readonly settings?: Partial<Settings>;
  readonly state?: Partial<State>;
  readonly onProgress?: (
    ...told: Parameters<NonNullable<NonNullable<Parameters<typeof verifyBy>[2]>['onProgress']>>
  ) => unknown;
};

function verified(script: string, on: AgentFixture, { run, settings, onProgress, ...options }: Options = {}) {
  return verifyBy(run ?? { test: 'true' }, on, {
    ...options,
    settings: { review: sh(script), ...settings },
    onProgress: (...told) => void onProgress?.(...told),
  });
}

async function reviewedBy(script: string, on: AgentFixture, options: Options = {}) {
  return outcomeOf(await verified(script, on, options));
}

function outcomeOf(outcome: VerifyOutcome) {
  if (outcome.kind !== 'verified') throw new Error(JSON.stringify(outcome));
  return outcome;
}

function sh(script: string, timeout_s = 20): { readonly agent: AgentChoice } {
  return { agent: { use: 'command', command: ['sh', '-c', script], timeout_s } };
}

function saying(answer: unknown): string {
  return `cat <<'END'\n${JSON.stringify(answer)}\nEND`;
}

function report(said: unknown): string {
  return `echo '${JSON.stringify(said)}' > $COXSWAIN_REPORT_FILE`;
}

function promptOf({ artefacts }: ReturnType<typeof outcomeOf>): string {
  return artefacts.find(({ path }) => path.endsWith('review/prompt.md'))?.content ?? '';
}

function reviewOn(head: string, concerns: readonly Concern[]): Review {
  return { head, by: 'sh', confidence: 0.5, concerns };
}

function kitAt(url: string, keys?: readonly string[]): NetworkKit {
  const providers = providersAt(url).filter(
    ({ variables: { key } }) => keys === undefined || keys.includes(key ?? ''),
  );
  return { registries: [], privateHosts: [], providers, spending: openSpending(folder()) };
}

/** Asks its model once, and says how sure it is whatever that answers. */
const asking = `
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key } = process.env;
const body = JSON.stringify({ model: 'claude-opus-4-6', max_tokens: 100, messages: [{ role: 'user', content: 'Go' }] });
const headers = { 'content-type': 'application/json', 'x-api-key': key };
const answer = await fetch(url + '/v1/messages', { method: 'POST', headers, body });
await answer.text();
if (!answer.ok) process.exit(1);
console.log('{"confidence": 0.8}');
`;

interface Limiting {
  readonly limits?: Settings['limits'];
  /** Of the reviewer. */
  readonly own?: Partial<Settings['limits']>;
  /** Of the run before. */
  readonly cost?: Cost;
}

async function askingModel(
  fault: Fault | undefined,
  { limits = { minutes: 60 }, own = {}, cost = {} }: Limiting = {},
) {
  const model = await scriptedModel({ fault: () => fault });
  onTestFinished(() => model.close());
  const on = await agentFixture({ ...files, 'asking.mjs': asking }, { network: kitAt(model.url) });
  const iterations = [iterationOf(0, { head_before: on.head, cost })];
  const outcome = await reviewedBy('node asking.mjs', on, {
    settings: { review: { ...sh('node asking.mjs'), limits: own }, limits },
    state: { iterations },
  });
  return { review: outcome.review, requests: model.requests.length };
}
