import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestRepository } from './fixture.ts';
import { startWebsite, type WebsiteFixture } from './website-fixture.ts';
import { hostile, playStory, type Story } from './website-story.ts';

let fixture: WebsiteFixture;
let story: Story;

beforeAll(async () => {
  fixture = await startWebsite();
  story = await playStory(fixture);
}, 60_000);

afterAll(() => fixture?.end());

/** Elements and attributes that nobody's text may bring into a page. */
const broken =
  /<(?:script(?! src="\/-\/)|img|iframe|b>odd|object|embed|style)|<[a-z]+[^>]*\son\w+="|href="(?!https?:|\/|#|\?)/;

test('what people, agents and Git say is inert on every page', async () => {
  const { at, pull, issue, draft, run, head } = story;
  const paths = [
    ...['/issues', '/pulls', '/edit/later/%3Cb%3Eodd.txt'],
    ...[`/issues/${issue}`, `/pull/${pull}`, `/pull/${draft}`, `/pull/${draft}/files`],
    ...[
      `/pull/${pull}/checks`,
      `/runs/${run}`,
      `/compare/main...${head}`,
      '/compare/main...later',
      '/edit/later/README.md',
    ],
  ];
  for (const path of paths) {
    const { status, text } = await fixture.get(at + path);
    expect([path, status]).toEqual([path, 200]);
    expect([path, broken.exec(text)?.[0]]).toEqual([path, undefined]);
  }
});

test('a text cannot close what is around it, nor leave anything open', async () => {
  const body = '</details></article></main><details><summary>x</summary>\n\n</details>\n</details>\n\n<sub>y';
  const { data } = await fixture.person('ren').issues.create({ ...story.repository.at, title: 'Tags', body });
  const { text } = await fixture.get(`${story.at}/issues/${data.number}`);
  expect(text).toContain('&lt;/details&gt;&lt;/article&gt;&lt;/main&gt;<details>');
  expect(text.match(/<\/main>/g)).toHaveLength(1);
});

test.each([
  ['[x](javascript:alert(1))', 'javascript:'],
  ['<javascript:alert(1)>', 'href="javascript'],
  ['[x](data:text/html,hi)', 'href="data'],
  ['![x](http://evil.test/pixel.png)', '<img'],
  ['<a href="http://evil.test">x</a>', '<a href="http://evil.test">'],
  ['<form action="/x"><button>', '<form action="/x">'],
])('the Markdown %s does no harm', async (body, never) => {
  const { data } = await fixture
    .person('ren')
    .issues.create({ ...story.repository.at, title: 'Links', body });
  const { text } = await fixture.get(`${story.at}/issues/${data.number}`);
  const [, shown = ''] = /<div class="body markdown">(.*?)<\/div>/s.exec(text) ?? [];
  expect(shown).not.toBe('');
  expect(shown).not.toContain(never);
});

test('the details of a check run lead only to addresses of the web', async () => {
  const { bot, at } = story.repository;
  const made = { ...at, name: 'sly', head_sha: story.head, details_url: 'javascript:alert(1)' };
  const { data } = await bot.checks.create(made);
  expect((await fixture.get(`${story.at}/runs/${data.id}`)).text).not.toContain('javascript:');
});

test('a long or costly text is answered quickly', { timeout: 20_000 }, async () => {
  for (const body of [
    '*a_ '.repeat(16_000),
    '> '.repeat(30_000),
    '[a]('.repeat(15_000),
    '- '.repeat(30_000),
  ]) {
    const { data } = await fixture
      .person('ren')
      .issues.create({ ...story.repository.at, title: 'Long', body });
    expect((await fixture.get(`${story.at}/issues/${data.number}`)).status).toBe(200);
  }
});

describe('odd paths', () => {
  test.each([
    ...['/%', '/%zz', '/ada/%ff', '/ada/widgets%2Fx', '/%00', '/ada/..%2f..%2fetc', '/__proto__/constructor'],
    `/${'a'.repeat(10_000)}`,
  ])('%s does not exist', async (path) => {
    expect((await fixture.get(path)).status).toBe(404);
  });

  test.each([
    ...[
      '/blob/main/%',
      '/blob/main/..%2F..%2Fconfig',
      '/blob/main/%2e%2e/config',
      '/blob/main/a%00b',
      '/blob/main/',
    ],
    ...['/raw/main/..%2Fconfig', '/raw/main/--help', '/raw/--help/a', '/commit/HEAD~1', '/commit/:%2Fx'],
    ...[
      '/compare/main',
      '/compare/main...',
      '/compare/...main',
      '/compare/--output=x...main',
      '/edit/main/nothing',
    ],
    ...[
      '/issues/0',
      '/issues/1e3',
      '/issues/-1',
      '/pull/99999999999',
      '/runs/1',
      '/pull/1/files',
      '/constructor',
    ],
  ])('%s of a repository does not exist', async (path) => {
    const { status, text } = await fixture.get(story.at + path);
    expect(status).toBe(404);
    expect(text).toContain('</html>');
  });

  test('a file with an odd name is found, read and changed', async () => {
    const path = 'docs/odd%20%231%20100%25.txt';
    expect((await fixture.get(`${story.at}/raw/main/${path}`)).text).toBe('odd\n');
    const { text } = await fixture.get(`${story.at}/pull/${story.pull}/checks`);
    expect(text).toContain(`/${path}#L1"`);
    const edit = `${story.at}/edit/later/${path}`;
    const sha = /name="sha" value="(\w+)"/.exec((await fixture.get(edit)).text)?.[1] ?? '';
    const fields = { do: 'commit', sha, content: 'even\n', message: '', ends: 'lf' };
    expect((await fixture.post(edit, fields)).location).toBe(`${story.at}/pull/${story.draft}/files`);
    expect((await fixture.get(`${story.at}/raw/later/${path}`)).text).toBe('even\n');
  });

  test('a branch with an odd name is compared', async () => {
    const clone = await fixture.clone(story.repository);
    const branch = '<b>#1&100%"\'/x';
    await clone.git('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`);
    const path = `${story.at}/compare/main...${encodeURIComponent('<b>#1&100%"\'')}/x`;
    const { status, text } = await fixture.get(path);
    expect(status).toBe(200);
    expect(text).not.toContain('<b>#1');
  });
});

test('a raw file is never a page', async () => {
  const { at, name } = story.repository;
  await fixture.forge.seed.commit(name, { 'page.html': hostile });
  const { headers } = await fixture.get(`/${at.owner}/${at.repo}/raw/main/page.html`);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
});

describe('a large diff', () => {
  async function pullOf(
    files: Record<string, string>,
  ): Promise<{ path: string; repository: TestRepository }> {
    const repository = await fixture.repository();
    const clone = await fixture.clone(repository);
    await clone.git('checkout', '--quiet', '-b', 'large');
    await clone.commit('Add much', files);
    await clone.git('push', '--quiet', 'origin', 'large');
    const wanted = { ...repository.at, head: 'large', base: 'main', title: 'Much' };
    const { data } = await repository.bot.pulls.create(wanted);
    return { path: `/${repository.name}/pull/${data.number}`, repository };
  }

  test('of 5,000 lines is cut', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join('');
    const { path } = await pullOf({ 'much.txt': lines, 'other.txt': 'other\n' });
    const { text } = await fixture.get(`${path}/files`);
    expect(text).toContain('only the first 3000 lines are shown');
    expect(text).toContain('line 2998');
    expect(text).not.toContain('line 2999');
    expect(text).toContain('other.txt');
  });

  test('with one very long line is cut, too', async () => {
    const { path } = await pullOf({ 'long.txt': `${'x'.repeat(1_000_000)}\n` });
    const { text } = await fixture.get(`${path}/files`);
    expect(text).toContain('… (cut)');
    expect(text.length).toBeLessThan(20_000);
  });
});
