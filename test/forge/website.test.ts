import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { session, startWebsite, type WebsiteFixture } from './website-fixture.ts';
import { playStory, type Story } from './website-story.ts';

let fixture: WebsiteFixture;
let story: Story;

beforeAll(async () => {
  fixture = await startWebsite();
  story = await playStory(fixture);
}, 60_000);

afterAll(() => fixture?.end());

test('every address for browsers in the payloads of a story leads to its page', async () => {
  const { bot, at } = story.repository;
  const asked = await Promise.all([
    bot.repos.get(at),
    bot.issues.listForRepo({ ...at, state: 'all' }),
    bot.pulls.list({ ...at, state: 'all' }),
    bot.issues.listEvents({ ...at, issue_number: story.pull }),
    bot.pulls.listReviews({ ...at, pull_number: story.pull }),
    bot.pulls.listCommits({ ...at, pull_number: story.pull }),
    bot.pulls.listFiles({ ...at, pull_number: story.pull }),
    bot.checks.listForRef({ ...at, ref: story.head }),
    bot.checks.listAnnotations({ ...at, check_run_id: story.run }),
    bot.repos.compareCommitsWithBasehead({ ...at, basehead: 'main...later' }),
    bot.repos.getBranch({ ...at, branch: 'coxswain/1-discount' }),
    bot.repos.listCommits(at),
  ]);
  const payloads = [...asked.map(({ data }) => data), ...fixture.received.map(({ payload }) => payload)];
  const paths = [...new Set(payloads.flatMap((payload) => pagesIn(payload)))].sort();
  expect(paths.length).toBeGreaterThan(40);
  const missing: string[] = [];
  // People, Apps, settings and folders of code have no pages here.
  for (const path of paths.filter((each) => !/^\/(?:settings\/|apps\/|[^/]+$|.*\/tree\/)/.test(each))) {
    const [page = '', anchor] = path.split('#');
    const found = await fixture.get(page);
    // A commit is shown as what it has changed, and a repository by its issues.
    const { status, text } = found.status === 303 ? await fixture.get(found.location) : found;
    if (status !== 200) missing.push(`${status} ${path}`);
    if (anchor !== undefined && !text.includes(`id="${anchor}"`)) missing.push(`no anchor ${path}`);
  }
  expect(missing).toEqual([]);
});

const browsable = /^(?:html_url|details_url|blob_url|blob_href|raw_url|permalink_url|compare|html)$/;

/** The paths of the forge's pages that a payload names. */
function pagesIn(payload: unknown, key = ''): string[] {
  if (typeof payload === 'string') {
    const isOurs = payload.startsWith(`${fixture.forge.url}/`) && !payload.includes('/api/');
    return isOurs && browsable.test(key) ? [payload.slice(fixture.forge.url.length)] : [];
  }
  if (typeof payload !== 'object' || payload === null) return [];
  return Object.entries(payload).flatMap(([name, value]) => {
    const isLink = key === 'html' && name === 'href';
    return pagesIn(value, isLink ? 'html' : Array.isArray(payload) ? key : name);
  });
}

describe('a pull request', () => {
  test('shows its conversation in the order in which it happened', async () => {
    const { text } = await fixture.get(`${story.at}/pull/${story.pull}`);
    const order = [
      'opened this pull request',
      'requested changes',
      'force-pushed',
      'approved these changes',
      'Well done.',
      'Some checks were not successful',
      'Add a comment',
    ];
    const places = order.map((words) => text.indexOf(words));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  test('says why it cannot be merged, with the checks that are required', async () => {
    const { text } = await fixture.get(`${story.at}/pull/${story.pull}`);
    expect(text).toContain('Merging is blocked');
    expect(text).toContain('2 of 2 required status checks have not succeeded: 1 failing and 1 expected.');
    expect(text).toContain('Expected — Waiting for status to be reported');
    expect(text).not.toContain('Merge pull request</button>');
  });

  test('is a work in progress as long as it is a draft', async () => {
    const { text } = await fixture.get(`${story.at}/pull/${story.draft}`);
    expect(text).toContain('This pull request is still a work in progress');
    expect(text).toContain('Ready for review</button>');
  });

  test('shows what was merged', async () => {
    const { text } = await fixture.get(`${story.at}/pull/${story.merged}`);
    expect(text).toContain('Pull request successfully merged and closed');
    expect(text).toContain('Delete branch</button>');
  });

  test('is shown at the address of an issue with its number', async () => {
    const { status, location } = await fixture.get(`${story.at}/issues/${story.pull}`);
    expect([status, location]).toEqual([303, `${story.at}/pull/${story.pull}`]);
  });

  test('has a link to the page beside it', async () => {
    const { text } = await fixture.get(`${story.at}/pull/${story.pull}`);
    expect(text).toContain('<a class="beside" href="http://run.test/">The run</a>');
    expect((await fixture.get(`${story.at}/issues/${story.issue}`)).text).not.toContain('class="beside"');
  });
});

test('Markdown is rendered with tables, details, tasks and references', async () => {
  const { text } = await fixture.get(`${story.at}/pull/${story.pull}`);
  expect(text).toContain('<td align="right">3</td>');
  expect(text).toContain('<details><summary>More</summary>');
  expect(text).toContain('<input aria-label="Task" type="checkbox" disabled="" checked="" />');
  expect(text).toContain(`Fixes <a href="${story.at}/issues/${story.issue}">#${story.issue}</a>`);
});

test('a check run shows its output, its annotations and its buttons to those who may press them', async () => {
  const path = `${story.at}/runs/${story.run}`;
  const { text } = await fixture.get(path);
  for (const words of [
    'Waiting for a human',
    'Verdict',
    'Details',
    'not ok 1',
    'Look here.',
    'Accept this commit',
  ]) {
    expect(text).toContain(words);
  }
  expect(text).toContain(`${story.at}/blob/`);
  fixture.visitor.login = 'ren';
  const { text: seen } = await fixture.get(path).finally(() => {
    fixture.visitor.login = 'ada';
  });
  expect(seen).not.toContain('Accept this commit');
});

test('what does not exist, or the forge does not have, is said', async () => {
  for (const path of [
    '/nobody',
    '/ada/nothing',
    `${story.at}/issues/99`,
    `${story.at}/blob/main/nothing`,
    `${story.at}/actions`,
  ]) {
    const { status, text } = await fixture.get(path);
    expect([path, status]).toEqual([path, 404]);
    expect(text).toContain('This page does not exist');
  }
});

describe('who may see the pages', () => {
  test('only those whom the forge admits', async () => {
    for (const cookie of ['', 'session=guessed']) {
      for (const path of ['/', story.at, `${story.at}/raw/main/README.md`]) {
        const { status, text } = await fixture.get(path, { cookie });
        expect(status).toBe(401);
        expect(text).toContain('Open the address that the demo printed');
        expect(text).not.toContain('Widgets');
      }
    }
    const { status } = await fixture.post(
      `${story.at}/issues/new`,
      { do: 'open', title: 'No' },
      { cookie: '' },
    );
    expect(status).toBe(401);
  });

  test('nobody under another name of the host', async () => {
    const { request } = await import('node:http');
    const { port } = new URL(fixture.forge.url);
    const headers = { host: `evil.test:${port}`, cookie: session, accept: 'text/html' };
    const status = await new Promise((done, fail) => {
      const sent = request({ port, host: '127.0.0.1', path: story.at, headers }, (response) => {
        response.resume();
        done(response.statusCode);
      });
      sent.on('error', fail).end();
    });
    expect(status).toBe(421);
  });

  test('a repository is hidden from those who may not read it', async () => {
    const hidden = await fixture.repository({ private: true });
    fixture.visitor.login = 'out';
    const found = await fixture.get(`/${hidden.name}`);
    const home = await fixture.get('/');
    fixture.visitor.login = 'ada';
    expect(found.status).toBe(404);
    expect(home.text).not.toContain(hidden.name);
    expect((await fixture.get(`/${hidden.name}`)).location).toBe(`/${hidden.name}/issues`);
  });

  test('no form of another site is accepted', async () => {
    const path = `${story.at}/issues/${story.issue}`;
    for (const origin of ['http://evil.test', 'null', '']) {
      const { status } = await fixture.post(path, { do: 'comment', body: 'Forged' }, { origin });
      expect(status).toBe(403);
    }
    expect((await fixture.get(path)).text).not.toContain('Forged');
  });
});

test('a form that the page does not have is refused', async () => {
  for (const does of ['', 'merge', 'constructor', '__proto__']) {
    const { status, text } = await fixture.post(`${story.at}/issues/${story.issue}`, { do: does });
    expect(status).toBe(422);
    expect(text).toContain('This page has no such form.');
  }
});

test('pages may load nothing from elsewhere, and a page that has not changed is not sent again', async () => {
  const path = `${story.at}/pull/${story.pull}`;
  const { headers } = await fixture.get(path);
  expect(headers.get('content-security-policy')).toContain(
    "default-src 'none'; style-src 'self'; script-src 'self'",
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const etag = headers.get('etag') ?? '';
  expect((await fixture.get(path, { 'if-none-match': etag })).status).toBe(304);
  const there = { ...story.repository.at, issue_number: story.pull };
  await fixture.person('wil').issues.createComment({ ...there, body: 'Something new' });
  const { status, text } = await fixture.get(path, { 'if-none-match': etag });
  expect(status).toBe(200);
  expect(text).toContain('Something new');
});

test('a status that is reported makes another page of it, too', async () => {
  const path = `${story.at}/pull/${story.pull}`;
  const etag = (await fixture.get(path)).headers.get('etag') ?? '';
  const wil = fixture.person('wil');
  const { data } = await wil.pulls.get({ ...story.repository.at, pull_number: story.pull });
  const status = {
    ...story.repository.at,
    sha: data.head.sha,
    context: 'ci/late',
    state: 'pending',
  } as const;
  await wil.repos.createCommitStatus(status);
  expect(await fixture.get(path, { 'if-none-match': etag })).toMatchObject({
    status: 200,
    text: expect.stringContaining('ci/late'),
  });
});
