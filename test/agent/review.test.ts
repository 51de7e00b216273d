import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/agent/review/prompt-and-answer.ts';
import { reviewed } from '../../src/steering/confidence/evaluation.ts';
import type { Review } from '../../src/steering/state/state.ts';
import { type AgentFixture, agentFixture, verifyBy } from './agent-fixture.ts';
import { commitOn } from './commit-on.ts';

/** What reviewers say that is odd, and what they are shown of odd changes. */

const grave = { file: 'src/clock.ts', line: 1, severity: 'high', text: 'It drops the zone.' } as const;
const files = { 'src/clock.ts': 'now\n' };

function saying(answer: unknown): string {
  return `console.log(${JSON.stringify(typeof answer === 'string' ? answer : JSON.stringify(answer))})`;
}

interface Reviewing {
  readonly commit?: string;
  /** The opinion before. */
  readonly review?: Review;
  readonly timeout_s?: number;
}

/** Verifies a commit with a reviewer that is this program. */
async function opinionBy(
  program: string,
  on: AgentFixture,
  { commit = on.head, review, timeout_s = 60 }: Reviewing = {},
) {
  const agent = { use: 'command', command: ['node', '-e', program], timeout_s } as const;
  const settings = { review: { agent } };
  const outcome = await verifyBy({ test: 'true' }, on, { commit, settings, state: review ? { review } : {} });
  if (outcome.kind !== 'verified') throw new Error(`expected a verification: ${JSON.stringify(outcome)}`);
  if (outcome.review === undefined) throw new Error('expected an opinion');
  const prompt = outcome.artefacts.find(({ path }) => path.endsWith('review/prompt.md'))?.content ?? '';
  return { ...outcome.review, prompt };
}

describe('an answer', () => {
  test.each([
    ['nothing', '', 'it said nothing'],
    ['words', 'Looks good to me!', 'holds no JSON'],
    ['a confidence of more than one', { confidence: 2 }, 'does not fit'],
    ['no confidence', { concerns: [grave] }, 'does not fit'],
  ])('of %s is no opinion', async (_, answer, problem) => {
    const review = await opinionBy(saying(answer), await agentFixture(files));
    expect(review).toMatchObject({
      confidence: null,
      problem: expect.stringContaining(problem),
      concerns: [],
    });
  });

  test('of a thousand concerns is cut to the worst, and of thousands or too many words it is none', () => {
    const mild = { ...grave, severity: 'low', text: 'A typo.' };
    const many = (count: number) => Array.from({ length: count }, () => mild);
    const read = readAnswer(JSON.stringify({ confidence: 0.5, concerns: [...many(999), grave] }));
    expect(read).toMatchObject({ confidence: 0.5, omitted: 950 });
    expect(read.concerns).toHaveLength(50);
    expect(read.concerns[0]).toEqual(grave);
    const tooMany = readAnswer(JSON.stringify({ confidence: 1, concerns: many(3_000) }));
    expect(tooMany).toMatchObject({ confidence: null, problem: expect.stringContaining('does not fit') });
    const cut = `${JSON.stringify({ confidence: 1, concerns: many(300) }).slice(0, 9_999)}…`;
    expect(readAnswer(cut).confidence).toBeNull();
  });

  test('never comes of a reviewer that does not end', async () => {
    const review = await opinionBy('setInterval(() => undefined, 1000)', await agentFixture(files), {
      timeout_s: 1,
    });
    expect(review.confidence).toBeNull();
    expect(review.problem).toMatch(/1 s|1s|second/);
  });
});

describe('a concern about what is no path', () => {
  test.each(['../../etc/passwd', ':(exclude)*', '-', 'src/clock.ts/below', '*'])(
    '%s fails no later opinion',
    async (file) => {
      const on = await agentFixture(files);
      const first = await opinionBy(saying({ confidence: 1, concerns: [{ ...grave, file }] }), on);
      const commit = commitOn(on, { 'src/clock.ts': 'now, in UTC\n' });
      const next = await opinionBy(saying({ confidence: 1 }), on, {
        commit,
        review: reviewed(undefined, on.head, first),
      });
      expect(next.confidence).toBe(1);
    },
  );
});

describe('a severity', () => {
  test('may rise when an opinion that does not count came in between', async () => {
    const on = await agentFixture(files);
    const mild = { ...grave, severity: 'low' } as const;
    const first = await opinionBy(saying({ confidence: 1, concerns: [mild] }), on);
    const commit = commitOn(on, { 'src/clock.ts': 'here\n' });
    const silent = await opinionBy(saying(''), on, { commit, review: reviewed(undefined, on.head, first) });
    const before = reviewed(reviewed(undefined, on.head, first), commit, silent);
    const worse = await opinionBy(saying({ confidence: 1, concerns: [{ ...grave, id: 'c1' }] }), on, {
      commit,
      review: before,
    });
    expect(reviewed(before, commit, worse).concerns).toMatchObject([{ id: 'c1', severity: 'high' }]);
  });
});

describe('a change', () => {
  const large = Array.from({ length: 100_000 }, (_, n) => `line ${n} ${'x'.repeat(90)}\n`).join('');

  test('of ten megabytes is shown in part, which is said and known', async () => {
    const on = await agentFixture(files);
    const commit = commitOn(on, { 'a.txt': large, 'src/clock.ts': 'here\n' });
    const review = await opinionBy(saying({ confidence: 1 }), on, { commit });
    expect(review).toMatchObject({ confidence: 1, partial: true });
    expect(review.prompt.length).toBeLessThan(250_000);
    expect(review.prompt).toContain('prints all of it');
  });

  test('that hides behind a long line is shown before it', async () => {
    const on = await agentFixture(files);
    const commit = commitOn(on, { 'a.txt': `${'x'.repeat(300_000)}\n`, 'src/clock.ts': 'here\n' });
    const review = await opinionBy(saying({ confidence: 1 }), on, { commit });
    expect(review).toMatchObject({ partial: true });
    expect(review.prompt).toContain('+here');
  });

  test('that was shown in part is not shown in full by what comes after it', async () => {
    const on = await agentFixture(files);
    const commit = commitOn(on, { 'a.txt': large });
    const review = reviewed(undefined, commit, await opinionBy(saying({ confidence: 1 }), on, { commit }));
    on.git('update-ref', 'refs/heads/main', commit);
    const next = commitOn(on, { 'src/clock.ts': 'here\n' });
    on.git('update-ref', 'refs/heads/main', on.head);
    expect(await opinionBy(saying({ confidence: 1 }), on, { commit: next, review })).toMatchObject({
      partial: true,
    });
  });

  test('is shown anew where concerns of the last opinion were left out, or it was of another base', async () => {
    const on = await agentFixture(files);
    const commit = commitOn(on, { 'src/clock.ts': 'here\n' });
    const review = reviewed(undefined, on.head, await opinionBy(saying({ confidence: 1 }), on));
    for (const before of [
      { ...review, omitted: 3 },
      { ...review, head: null },
    ]) {
      const { prompt } = await opinionBy(saying({ confidence: 1 }), on, { commit, review: before });
      expect(prompt).toContain('### The Change');
    }
  });
});
