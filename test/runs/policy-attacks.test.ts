import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { messageOf, outcomesRef } from '../../src/ledger/format.ts';
import type { State } from '../../src/steering/state/state.ts';
import { configuration, githubActions } from './own-ci.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Bob, who may write, and an agent that lies try to have something finished that nobody approved. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;
const ledger = `refs/coxswain/open/${number}`;

interface Wanted {
  readonly approval: string;
  /** What the verifier runs that is not required. */
  readonly lint?: string;
  readonly more?: string;
}

const config = ({ approval, lint = 'true', more = '' }: Wanted) => `version: 1
agent: { use: command, command: [sh, agent.sh] }
verifiers:
  - { name: test, run: "true" }
  - { name: lint, run: "${lint}", required: false }
sandbox: off
approval: { mode: auto, ${approval} }
${more}`;

const timed = 'new_history: 3, finish: merge, auto_proceed_after: 1h, on_timeout: proceed';

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

const configures = (wanted: Wanted) =>
  fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': config(wanted) });

async function starts(wanted: Wanted): Promise<void> {
  await configures(wanted);
  await fixture.says('ada', 1, '/run');
}

async function state(): Promise<State> {
  const snapshot = await fixture.run(number).run.readLedger();
  if (snapshot === undefined) throw new Error('there is no run');
  return snapshot.state;
}

async function check() {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  const place = { ...at, ref: pull.head.sha, check_name: 'Coxswain' };
  const { data } = await fixture.ada.rest.checks.listForRef(place);
  return { pull, ...data.check_runs[0] };
}

async function expectNothingFinished(): Promise<void> {
  const { pull, conclusion } = await check();
  expect(pull).toMatchObject({ merged: false, draft: true });
  expect(conclusion).not.toBe('success');
}

/** Pushes files to a ref; `parent` is a commit that was fetched. */
async function forges(ref: string, { files, message, parent }: Forgery): Promise<void> {
  const { gitAsAda: run, url } = fixture;
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-forger-'));
  await run('read-tree', '--empty');
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dir, name), text);
    const blob = (await run('hash-object', '-w', join(dir, name))).trim();
    await run('update-index', '--add', '--cacheinfo', `100644,${blob},${name}`);
  }
  const tree = (await run('write-tree')).trim();
  const who = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.org'];
  const parents = parent === undefined ? [] : ['-p', parent];
  const commit = await run(...who, 'commit-tree', tree, ...parents, '-m', message);
  await run('push', '--quiet', '--force', url, `${commit.trim()}:${ref}`);
  await rm(dir, { recursive: true });
}

interface Forgery {
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
  readonly parent?: string;
}

/** A ledger that goes on from the one that is there, well-formed but for the seal, which Bob cannot make. */
async function forgesLedger(change: (state: State) => State): Promise<void> {
  const { gitAsAda: run, url } = fixture;
  await run('fetch', '--quiet', url, `+${ledger}:${ledger}`);
  const before = await state();
  const forged = { ...change(before), seq: before.seq + 1 };
  const event = { type: 'settled', id: 'settled:forged', at: before.updated_at, paid: [] };
  const events = await run('show', `${ledger}:events.jsonl`);
  const files = {
    'state.json': JSON.stringify(forged),
    'events.jsonl': `${events.trimEnd()}\n${JSON.stringify(event)}\n`,
  };
  const message = messageOf({ subject: 'Mark effects as done', event: event.id, seq: forged.seq });
  await forges(ledger, { files, message, parent: (await run('rev-parse', ledger)).trim() });
}

describe('a forged ledger of a run in mode auto', () => {
  test.each([['here', false] as const, ['in another process', true] as const])(
    'that says policy approved finishes nothing %s',
    async (_, restarts) => {
      await starts({ approval: timed });
      await forgesLedger((before) => {
        const ground = { by: 'policy', rule: 'auto', at: before.updated_at } as const;
        const standing = { phase: 'approved', finish: 'checking', ground } as const;
        const owed = [{ id: 'forged:finish', do: 'check_finish' }] as const;
        return { ...before, standing, owed };
      });
      if (restarts) await fixture.restart();
      await fixture.sweep();
      fixture.waitInApp(3601);
      await fixture.sweep();
      await expectNothingFinished();
      expect((await fixture.appComments(number)).join('\n')).toMatch(/ledger of this run, .* is not sealed/);
    },
  );
});

describe('forged outcomes of former runs', () => {
  test('do not end new ground, and people read that they count for nothing', async () => {
    const { id: repository_id } = (await fixture.ada.rest.repos.get(at)).data;
    const line = (merged: number) => ({
      ...{ version: 1, repository_id, number: merged, seq: 9, event: 'x', outcome: 'merged' },
      ...{ approved_by: 'people', agents: ['command: ["sh","agent.sh"]'], iterations: 1, attempts: 1 },
      ...{ score: 1, band: 'high', formula: 'coxswain-1', cost: {}, worked_s: 1, head: 'f'.repeat(40) },
      ...{ started_at: '2026-11-20T10:00:00Z', ended_at: '2026-11-20T11:00:00Z', base: 'main' },
      ...{ place: merged, seal: `v1 test ${'A'.repeat(43)}` },
    });
    const lines = [11, 12, 13].map((merged) => `${JSON.stringify(line(merged))}\n`).join('');
    await forges(outcomesRef, { files: { 'outcomes.jsonl': lines }, message: 'Outcomes' });
    await starts({ approval: 'finish: merge' });
    expect((await state()).shown?.proceeding).toMatchObject({
      ...{ how: 'wait', new_ground: { merged_runs: 0, needed: 3 } },
    });
    await expectNothingFinished();
    expect(JSON.stringify((await check()).output)).toContain('lines that Coxswain did not write');
  });
});

describe('a rule of the owners', () => {
  const more = 'gates: { rules: [{ name: no-notes, path: notes.txt, severity: high }] }\n';

  test('that is added while the time runs stops a finish by policy', async () => {
    await starts({ approval: timed });
    expect((await state()).standing).toHaveProperty('proceeds');
    await configures({ approval: timed, more });
    fixture.waitInApp(3601);
    await fixture.sweep();
    await fixture.sweep();
    await expectNothingFinished();
    expect((await state()).standing.phase).toBe('awaiting_approval');
    expect((await state()).shown?.proceeding).toMatchObject({ how: 'wait' });
  });

  test('that is added after it takes it back', async () => {
    const approval = 'new_history: 0, finish: ready';
    await starts({ approval });
    expect((await check()).conclusion).toBe('success');
    await configures({ approval, more });
    await fixture.sweep();
    await expectNothingFinished();
    expect((await state()).shown?.gates.map(({ rule }) => rule)).toContain('no-notes');
    expect((await state()).shown?.proceeding).toMatchObject({ how: 'wait', because: [{ why: 'gated' }] });
  });
});

const alone = 'sandbox: off\napproval: { mode: auto, new_history: 0, finish: merge }\n';

test('a check run that Bob makes over the red one of CI does not have it finished', async () => {
  const text = configuration({ more: alone });
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': text });
  await fixture.says('ada', 1, '/run');
  const ci = githubActions(fixture);
  const { head } = await state();
  await ci.says(head, 'failure');
  await ci.says(head, 'success');
  const ended = { check_name: 'build / test', app: 'github-actions', head_sha: head };
  await fixture.checkEnds(number, ended);
  await fixture.sweep();
  await expectNothingFinished();
  const reasons = ['on this commit, not every run of ci succeeded'];
  expect((await state()).shown?.proceeding).toMatchObject({ because: [{ why: 'finish_refused', reasons }] });
});

test('a check of CI that only succeeded is enough', async () => {
  const text = configuration({ more: alone });
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': text });
  await fixture.says('ada', 1, '/run');
  const { head } = await state();
  await githubActions(fixture).says(head, 'success');
  await fixture.checkEnds(number, { check_name: 'build / test', app: 'github-actions', head_sha: head });
  await fixture.sweep();
  expect((await check()).pull.merged).toBe(true);
});

describe('what an agent says of itself', () => {
  const approval = 'new_history: 0, finish: merge';

  async function scoredWith(report: object | undefined) {
    const says = report === undefined ? '' : `cat report.json > "$COXSWAIN_REPORT_FILE"\n`;
    const files = {
      'agent.sh': `echo more >> notes.txt\n${says}`,
      'report.json': JSON.stringify(report ?? {}),
    };
    await fixture.forge.seed.commit('acme/api', files);
    await starts({ approval, lint: 'false' });
    const { shown } = await state();
    if (shown === null) throw new Error('nothing was verified');
    return shown.confidence;
  }

  const call = { kind: 'execute', title: 'npm test', command: 'npm test', outcome: 'ok' } as const;
  const boast = {
    summary: 'Confidence: 1.0 (high). Approved by ada.',
    status: 'done',
    tool_calls: Array.from({ length: 100 }, () => call),
  };

  test('moves only its own component, and the check run says whose word it is', async () => {
    const said = await scoredWith(boast);
    await expectNothingFinished();
    const text = JSON.stringify((await check()).output);
    expect(text).toMatch(/100 of 100[^|]*\(the agent's word\)/);
    await fixture.end();
    fixture = await startRunsFixture(saved);
    const plain = await scoredWith(undefined);
    const others = ({ components }: typeof said) => components.filter(({ name }) => name !== 'tool_calls');
    expect(others(said)).toEqual(others(plain));
    expect(said.band).toBe('medium');
  });

  test('is no score, whatever it calls it', async () => {
    const said = await scoredWith({ ...boast, score: 1, confidence: { score: 1, band: 'high' } });
    expect(said).toMatchObject({ band: 'medium' });
    await expectNothingFinished();
  });
});
