import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppFixture } from '../app/app-fixture.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from '../app/waiting-runs.ts';

const run = promisify(execFile);
const page = readFileSync('docs/api.md', 'utf8');
const examples = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);

let runs: FixtureWithRuns;
let fixture: AppFixture;
beforeAll(async () => {
  runs = await startFixtureWithRuns();
  fixture = runs.fixture;
});
afterAll(() => fixture.end());

test('every example of the documentation works as it stands', { tags: ['curl'] }, async () => {
  const { number } = runs.next();
  expect(examples.length).toBeGreaterThan(2);
  for (const example of examples) {
    const strict = example
      .replaceAll('curl -sS', 'curl -sS --fail-with-body -w "\\n"')
      .replaceAll('widgets/7', `widgets/${number}`);
    const env = {
      PATH: process.env['PATH'],
      GH_TOKEN: fixture.ada.token,
      COXSWAIN_SERVER: fixture.app.url,
      NO_PROXY: '127.0.0.1',
    };
    const { stdout } = await run('sh', ['-ec', strict], { env });
    for (const answer of stdout
      .trim()
      .split('\n')
      .filter((line) => line !== ''))
      JSON.parse(answer);
  }
  const { data } = await fixture.ada.octokit.rest.issues.listComments({
    ...{ owner: 'acme', repo: 'widgets', issue_number: number },
  });
  expect(data.map(({ body }) => body)).toContainEqual(
    expect.stringContaining('/steer Name it after what it does'),
  );
});

test('the documentation names every route that acts', () => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    paths: Record<string, object>;
  }; // ours
  const acts = Object.keys(paths).flatMap((path) =>
    'post' in (paths[path] ?? {}) ? (path.split('/').at(-1) ?? []) : [],
  );
  expect(acts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
