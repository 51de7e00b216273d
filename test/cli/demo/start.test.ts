import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Demo, startDemo } from '../../../src/cli/demo/start-demo.ts';
import { stories } from '../../../src/cli/demo/stories/index.ts';

let demo: Demo;
let cookie: string;

beforeAll(async () => {
  demo = await startDemo({ logLevel: 'silent', port: 0 });
  const answer = await fetch(demo.app.pageUrl ?? '', { redirect: 'manual' });
  cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
});

afterAll(() => demo.close());

const html = (url: string, headers = {}) => fetch(url, { headers: { accept: 'text/html', ...headers } });

test('the first page says what there is to try, with an issue for each story', async () => {
  const page = await (await html(demo.app.url, { cookie })).text();
  expect(page).toContain('What to try next');
  for (const { repo = 'widgets', issue } of stories) {
    expect(page).toContain(issue.title);
    expect(page).toContain(`href="/acme/${repo}/issues/${issue.number}"`);
  }
  expect(page).toContain(`href="${demo.forge.url}/acme/widgets"`);
});

test("GitHub's side is open to whoever is signed in to the page, and leads back to it", async () => {
  const issue = `${demo.forge.url}/acme/widgets/issues/1`;
  expect((await html(issue)).status).toBe(401);
  const answer = await html(issue, { cookie });
  expect(answer.status).toBe(200);
  const page = await answer.text();
  expect(page).toContain('Signed in as');
  expect(page).toContain(`href="${demo.app.url}/acme/widgets/issues/1"`);
});

test('the environment says what sandbox there has to be, with a repository of somebody or without', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('COXSWAIN_SANDBOX', 'always');
  await expect(startDemo({ logLevel: 'silent', port: 0 })).rejects.toThrow('COXSWAIN_SANDBOX is "always"');
});
