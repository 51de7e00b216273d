import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems } from '../app/app-fixture.ts';
import type { PullClient } from '../app/pull-client.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from '../app/waiting-runs.ts';
import { type Client, clientOf } from './client.ts';

let runs: FixtureWithRuns;
let fixture: AppFixture;
let ada: Client;
let pull: PullClient;
beforeAll(async () => {
  runs = await startFixtureWithRuns();
  fixture = runs.fixture;
  ada = await clientOf(fixture.app.url, fixture.ada.token);
  pull = runs.next();
});
afterAll(async () => {
  expectNoProblems(fixture);
  await fixture.end();
});

const at = () => ({ owner: 'acme', repo: 'widgets', number: pull.number });

describe('a run', () => {
  test('is answered as its report, and says as of when', async () => {
    const { status, data } = await ada.call('getRun', at());
    expect(status).toBe(200);
    expect(data).toMatchObject({
      ...{ run: `acme/widgets#${pull.number}`, phase: 'awaiting_approval', trust: 'verified' },
      approval_request: { status: 'waiting_approval', kind: 'approval', risk_level: 'low' },
      possible: expect.arrayContaining(['approve', 'steer']),
    });
    expect(Date.parse(data.as_of)).toBeGreaterThanOrEqual(Date.parse(data.updated_at));
  });

  test('has a diff, of one file if it is asked for', async () => {
    const { data } = await ada.call('getDiff', at());
    expect(data).toMatchObject({
      repository: 'widgets',
      summary: '1 file changed, +2, -1',
      truncated: false,
    });
    expect((await ada.call('getDiff', { ...at(), file: 'docs' })).data.files).toEqual([]);
    expect((await ada.call('getDiff', { ...at(), file: 'src/*' })).data.files).toHaveLength(1);
  });

  test('has its full diff only for people with write access', async () => {
    const grace = await clientOf(fixture.app.url, fixture.grace.token);
    expect(await grace.call('getDiff', { ...at(), full: 'true' })).toMatchObject({
      status: 403,
      data: { detail: 'The full diff requires write access here, and you have read.' },
    });
    expect((await grace.call('getDiff', at())).status).toBe(200);
    expect((await ada.call('getDiff', { ...at(), full: 'true' })).status).toBe(200);
  });

  test('has what its verifiers printed, and says if there is no such verifier', async () => {
    const all = await ada.call('getLogs', at());
    expect(all.data.verifiers).toHaveLength(2);
    const one = await ada.call('getLogs', { ...at(), verifier: 'widgets:lint' });
    expect(one.data.verifiers).toMatchObject([{ name: 'lint', success: true }]);
    expect(await ada.call('getLogs', { ...at(), verifier: 'nobody' })).toMatchObject({
      status: 404,
      data: { detail: expect.stringContaining('No output of a verifier called nobody is there') },
    });
  });

  test('says how it was steered, what has happened, who settled what, and what it waits for', async () => {
    expect((await ada.call('getSteering', at())).data).toMatchObject({
      ...{ current_iteration: 0, max_iterations: 5 },
      history: [{ iteration_number: 0, landed: true }],
    });
    expect((await ada.call('getHistory', at())).data).toMatchObject({
      ...{ ledger: `refs/coxswain/open/${pull.number}`, omitted: 0 },
      entries: expect.arrayContaining([expect.objectContaining({ subject: 'Start: Widgets are wrong' })]),
    });
    expect((await ada.call('getAudit', at())).data).toMatchObject({ resolutions: [], approvals: [] });
    expect((await ada.call('getInterrupts', at())).data).toEqual({ interrupted: false });
  });
});

describe('lists', () => {
  test('the inbox has every run that waits, oldest first, and turns pages without repeating one', async () => {
    const whole = await ada.call('listInbox');
    expect(whole.data).toMatchObject({ next: null, complete: true, blocked_by_sso: [] });
    const names = whole.data.runs.map(({ run }: { run: string }) => run);
    expect(names).toHaveLength(5);
    const since = whole.data.runs.map(({ waiting_since }: { waiting_since: string }) => waiting_since);
    expect(since).toEqual(since.toSorted());
    const turned: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await ada.call('listInbox', { limit: 2, ...(cursor !== null && { cursor }) });
      turned.push(...page.data.runs.map(({ run }: { run: string }) => run));
      cursor = page.data.next;
      if (cursor !== null)
        expect(page.headers['link']).toBe(
          `<${fixture.app.url}/api/v1/inbox?limit=2&cursor=${cursor}>; rel="next"`,
        );
    } while (cursor !== null);
    expect(turned).toEqual(names);
  });

  test('the inbox is filtered by what is asked, by risk and by repository', async () => {
    const count = async (asked: Record<string, string>) =>
      (await ada.call('listInbox', asked)).data.runs.length;
    expect(await count({ kind: 'approval', risk: 'low', repository: 'Acme/Widgets' })).toBe(5);
    expect(await count({ kind: 'question' })).toBe(0);
    expect(await count({ risk: 'critical' })).toBe(0);
  });

  test('runs are filtered by their phase, those that changed last first', async () => {
    const { data } = await ada.call('listRuns', { phase: 'awaiting_approval' });
    const times = data.runs.map(({ updated_at }: { updated_at: string }) => updated_at);
    expect(times).toHaveLength(5);
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await ada.call('listRuns', { phase: 'working' })).data.runs).toEqual([]);
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', 'x'],
    ['phase', 'sleeping'],
    ['colour', 'red'],
  ])('a list with %s=%s is refused, and says what is wrong', async (key, value) => {
    const response = await fetch(`${fixture.app.url}/api/v1/runs?${key}=${value}`, {
      headers: { authorization: `Bearer ${fixture.ada.token}` },
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(key);
  });

  test('a repository that cannot be read is told apart from one without runs', async () => {
    expect((await ada.call('listInbox', { repository: 'acme/other' })).status).toBe(404);
  });
});

describe('the description', () => {
  interface Operation {
    readonly operationId: string;
    readonly tags: readonly string[];
    readonly summary: string;
    readonly security: readonly object[];
    readonly responses: Readonly<Record<string, object>>;
    readonly requestBody?: { readonly content: Readonly<Record<string, { example: object }>> };
  }

  test('is published as it is served', async () => {
    const text = await (await fetch(`${fixture.app.url}/api/v1/openapi.json`)).text();
    await expect(`${JSON.stringify(JSON.parse(text), null, 2)}\n`).toMatchFileSnapshot(
      '../../docs/openapi.json',
    );
  });

  test('has patterns that are read alike in every language', async () => {
    const text = await (await fetch(`${fixture.app.url}/api/v1/openapi.json`)).text();
    const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, json = '']) =>
      JSON.parse(json),
    );
    expect(patterns).toContain('^[0-9a-fA-F]{7,40}$');
    expect(patterns.filter((each) => !/^\^.*\$$/s.test(each))).toEqual([]);
  });

  test('says of every operation what it does, takes and answers', async () => {
    const response = await fetch(`${fixture.app.url}/api/v1/openapi.json`);
    // Our own description, whose form the client that is generated from it needs too.
    const { openapi, paths } = (await response.json()) as {
      openapi: string;
      paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    };
    expect(openapi).toBe('3.1.0');
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      [...ada.operations].toSorted(),
    );
    for (const { operationId, tags, summary, security, responses, requestBody } of operations) {
      const content = Object.values(responses).every((each) => 'content' in each || '$ref' in each);
      const example =
        requestBody === undefined || 'example' in (requestBody.content['application/json'] ?? {});
      expect({ operationId, tags: tags.length, summary: summary !== '', security, content, example }).toEqual(
        {
          ...{
            operationId,
            tags: 1,
            summary: true,
            security: [{ github: [] }],
            content: true,
            example: true,
          },
        },
      );
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(['200', '400', '401', '403', '404', '429']),
      );
    }
  });
});

test('what has happened to a run is told as events, from the number that is asked for', async () => {
  const gone = new AbortController();
  const response = await fetch(`${fixture.app.url}/api/v1/runs/acme/widgets/${pull.number}/events?since=0`, {
    headers: { authorization: `Bearer ${fixture.ada.token}` },
    signal: gone.signal,
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  let heard = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    heard += decoder.decode(chunk, { stream: true });
    if (heard.includes('event: approval_requested')) break;
  }
  expect(heard).toMatch(/id: \d+\nevent: run_started\n|event: run_started\nid: \d+\n/);
  gone.abort();
});
