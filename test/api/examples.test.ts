import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppFixture } from '../app/app-fixture.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from '../app/waiting-runs.ts';

const run = promisify(execFile);
const page = readFileSync('docs/api.md', 'utf8');
const examples = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);

/** As much of curl as the examples need, because not every machine has it; fails where an answer does. */
const curl = `#!${process.execPath}
const given = process.argv.slice(2);
const [headers, rest] = [{}, { method: 'GET' }];
for (let arg = given.shift(); arg !== undefined; arg = given.shift()) {
  if (arg === '-H') { const [name, value] = given.shift().split(/: (.*)/s); headers[name] = value; }
  else if (arg === '-X') rest.method = given.shift();
  else if (arg === '-d') rest.body = given.shift();
  else if (arg !== '-sS') rest.url = arg;
}
fetch(rest.url, { headers, method: rest.method, body: rest.body }).then(async (response) => {
  console.log(await response.text());
  if (!response.ok) process.exit(22);
});
`;

let runs: FixtureWithRuns;
let fixture: AppFixture;
let folder: string;
beforeAll(async () => {
  runs = await startFixtureWithRuns();
  fixture = runs.fixture;
  folder = mkdtempSync(join(tmpdir(), 'coxswain-curl-'));
  writeFileSync(join(folder, 'curl'), curl, { mode: 0o755 });
});
afterAll(async () => {
  await fixture?.end();
  rmSync(folder, { recursive: true });
});

test('every example of the documentation works as it stands', async () => {
  const { number } = runs.next();
  expect(examples.length).toBeGreaterThan(2);
  const env = {
    PATH: `${folder}${delimiter}${process.env['PATH']}`,
    ...{ GH_TOKEN: fixture.ada.token, COXSWAIN_SERVER: fixture.app.url },
  };
  for (const example of examples) {
    const { stdout } = await run('sh', ['-ec', example.replaceAll('widgets/7', `widgets/${number}`)], {
      env,
    });
    for (const answer of stdout.trim().split('\n')) JSON.parse(answer);
  }
  const { data } = await fixture.ada.octokit.rest.issues.listComments({
    ...{ owner: 'acme', repo: 'widgets', issue_number: number },
  });
  const said = expect.stringContaining('/steer Name it after what it does');
  expect(data.map(({ body }) => body)).toContainEqual(said);
});

test('the documentation names every route that acts', () => {
  // Our own description, whose form is held elsewhere.
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    paths: Record<string, object>;
  };
  const acts = Object.entries(paths).flatMap(([path, methods]) =>
    'post' in methods ? (path.split('/').at(-1) ?? []) : [],
  );
  expect(acts.length).toBeGreaterThan(15);
  expect(acts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
