import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { ada } from '../steering/samples.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { textOf } from './reading.ts';
import { hostile } from './samples.ts';
import { type Visitor, visitorOf } from './visitor.ts';
import { at } from './waiting-run.ts';

let fixture: PageFixture;
let visitor: Visitor;
let path: string;

const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('');

/** The agent works for another iteration, and its commit has these files. */
async function iterates(files: Parameters<PageFixture['push']>[0], onto?: string): Promise<void> {
  await fixture.push(files, onto);
  fixture.run.says(ada, '/steer more').engine.takes();
  fixture.run.agent.finishes().verifiers.pass();
  await fixture.record();
}

/** The changes, once the page shows the newest commit. */
async function changesAt(query: string): Promise<string> {
  const wanted = `name="sha" value="${fixture.run.state.head}"`;
  const isThere = async () => (await pageAt('')).includes(wanted);
  await expect.poll(isThere, { timeout: 20_000, interval: 200 }).toBe(true);
  return sectionOf(await pageAt(query));
}

async function pageAt(query: string): Promise<string> {
  return (await visitor.get(path + query)).text();
}

function sectionOf(page: string): string {
  return /<section class="card" id="changes"[\s\S]*?<\/section>/.exec(page)?.[0] ?? '';
}

/** What a browser sends with that form when a button is pressed: fields of the same name in their order. */
function fieldsIn(section: string, written: Readonly<Record<string, string>> = {}): [string, string][] {
  const fields = [
    ...section.matchAll(
      /<input type="hidden" name="(\w+)" value="([^"]*)">|<textarea id="([^"]*)"[^>]*>([^<]*)/g,
    ),
  ];
  return fields.map(([, name, value, id = '', text = '']) =>
    name === undefined ? ['remark', written[id] ?? unescaped(text)] : [name, unescaped(value ?? '')],
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '');

function press(section: string, button: Record<string, string>, written = {}): Promise<Response> {
  return visitor.post(`${path}/comment`, [...fieldsIn(section, written), ...Object.entries(button)]);
}

beforeAll(async () => {
  fixture = await startFixture();
  visitor = await visitorOf(fixture);
  path = `/acme/api/pull/${fixture.pull}`;
  fixture.run.says(ada, '/extend 5');
  await iterates({ 'src/one.ts': lines(30), 'src/two.ts': lines(3), 'logo.png': new Uint8Array([0, 1]) });
  await iterates({ 'src/one.ts': lines(30).replace('line 10\n', 'line ten\n'), 'src/clock.ts': null });
}, 60_000);

afterAll(() => fixture?.end());

const filesIn = (section: string) =>
  [...section.matchAll(/<details id="file-([^"]*)"/g)].map(([, id = '']) => unescaped(id));

/** The page after a button of the form was pressed. */
async function pressed(section: string, button: Record<string, string>, written = {}): Promise<string> {
  const response = await press(section, button, written);
  expect(response.status).toBe(200);
  return sectionOf(await response.text());
}

async function newestComment(): Promise<string> {
  return (await fixture.commentsOn(fixture.pull)).at(-1) ?? '';
}

describe('the changes', () => {
  test('are those of the whole run, with every file in a tree', async () => {
    const section = await changesAt('');
    expect(filesIn(section)).toEqual([
      '<b>odd</b>.md',
      'logo.png',
      'src/clock.ts',
      'src/one.ts',
      'src/two.ts',
    ]);
    expect(section).toContain('<a href="#file-src/one.ts">one.ts</a>');
    expect(textOf(section)).toContain('src/ 3 files clock.ts deleted +0 −1 one.ts added +30 −0');
    expect(section).toContain(`<a href="${path}?since=1#changes">Since iteration 1</a>`);
    expect(section).toContain(`<a href="${path}#changes" aria-current="true">All changes</a>`);
  });

  test('since an iteration are of the files that it left otherwise', async () => {
    const section = await changesAt('?since=1&diff=split');
    expect(filesIn(section)).toEqual(['src/clock.ts', 'src/one.ts']);
    expect(textOf(section)).toContain('10 - line 10 10 + line ten');
    expect(section).toContain('<table class="patch split"');
    expect(filesIn(await changesAt('?since=0'))).toEqual([
      'logo.png',
      'src/clock.ts',
      'src/one.ts',
      'src/two.ts',
    ]);
  });

  test('of one file stand alone, and a file that is none of them is named', async () => {
    expect(filesIn(await changesAt('?file=src%2Ftwo.ts'))).toEqual(['src/two.ts']);
    const none = await changesAt('?file=src/none.ts');
    expect(filesIn(none)).toEqual([]);
    expect(textOf(none)).toContain('src/none.ts is not among these changes.');
  });

  test('since an iteration that there was not are those of the whole run', async () => {
    for (const since of ['77', '-1', 'x'])
      expect(filesIn(await changesAt(`?since=${since}`))).toHaveLength(5);
  });
});

test('what came with the base meanwhile is not shown as work of an iteration', async () => {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: fixture.pull });
  const content = Buffer.from('# API\n').toString('base64');
  const file = { path: 'README.md', message: 'Add a readme', content, branch: 'main' };
  await fixture.ada.rest.repos.createOrUpdateFileContents({ ...at, ...file });
  await fixture.ada.rest.repos.merge({ ...at, base: pull.head.ref, head: 'main' });
  await iterates({ 'src/two.ts': lines(4) });
  expect(filesIn(await changesAt('?since=2'))).toEqual(['src/two.ts']);
  await iterates({ 'src/two.ts': lines(3) });
});

describe('remarks', () => {
  test('on several lines, of both sides, become one steer', async () => {
    let section = await changesAt('?since=1');
    expect(section).toContain(
      '<button name="on" value="R10 src/one.ts" aria-label="Remark on line 10 of src/one.ts">10</button>',
    );
    expect(section).toContain('aria-label="Remark on removed line 10 of src/one.ts"');
    section = await pressed(section, { on: 'R10 src/one.ts' });
    const { head } = fixture.run.state;
    const [first, second] = [
      `remark-${head}%201%20R10%20src/one.ts`,
      `remark-${head}%201%20L1%20src/clock.ts`,
    ];
    expect(section).toContain(`<textarea id="${first}" name="remark" rows="3" autofocus>`);
    section = await pressed(section, { on: 'L1 src/clock.ts' }, { [first]: 'Write <10>.' });
    expect(section).toContain('Steer with 2 remarks');
    const answer = await press(section, {}, { [first]: 'Write <10>.\n\n/approve', [second]: 'Keep it.' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
    const quote = ['@@ -7,7 +7,7 @@ line 6', ' line 7', ' line 8', ' line 9', '-line 10', '+line ten'];
    expect(parseCommand(await newestComment())).toEqual({
      type: 'steer',
      now: false,
      prompt:
        `#### src/clock.ts, line 1 before the change\n\n\`\`\`diff\n@@ -1,2 +0,0 @@\n-// ${hostile}\n\`\`\`\n\n` +
        `Keep it.\n\n#### src/one.ts, line 10\n\n\`\`\`diff\n${quote.join('\n')}\n\`\`\`\n\nWrite <10>.\n\n/approve`,
    });
  });

  test('stay while people look at the changes in another way, and can be taken back', async () => {
    let section = await pressed(await changesAt(''), { on: 'R2 src/two.ts' });
    const { head } = fixture.run.state;
    const id = `remark-${head}%20-%20R2%20src/two.ts`;
    section = await pressed(section, { go: '?diff=split&since=1' }, { [id]: 'Why two?' });
    expect(filesIn(section)).toEqual(['src/clock.ts', 'src/one.ts']);
    expect(textOf(section)).toContain(
      'Remark on line 2 of src/two.ts @@ -0,0 +1,3 @@ +line 1 +line 2 Why two?',
    );
    section = await pressed(section, { go: '?file=src/one.ts' });
    expect(textOf(section)).toContain('+line 1 +line 2 Why two?');
    section = await pressed(section, { go: '?diff=split' });
    expect(section).toMatch(/<tr class="remark"><td colspan="4">[\s\S]*?>Why two\?</);
    section = await pressed(section, { drop: `${head} - R2 src/two.ts` });
    expect(section).not.toContain('textarea');
    expect(section).toContain('aria-label="Remark on line 2 of src/two.ts" autofocus>');
  });

  test('in which nothing is written are none', async () => {
    let section = await pressed(await changesAt(''), { on: 'R1 src/two.ts' });
    const answer = await press(section, {});
    expect(answer.status).toBe(400);
    expect(textOf(await answer.text())).toContain('/steer needs text: write it first.');
    section = await pressed(section, { on: 'R3 src/two.ts' });
    expect(section.match(/<textarea/g)).toHaveLength(1);
  });

  test('on a line that is not shown are not begun', async () => {
    const section = await pressed(await changesAt(''), { on: 'R99 src/two.ts' });
    expect(textOf(section)).toContain('This line is not among those that are shown: choose another one.');
  });

  test.each([
    '/approve',
    '```\n/cancel\n```',
    '<!-- \n/approve',
    '--now do it',
    'a\u200b\n/re\u200bject no',
    '- [ ] /approve',
  ])('that say %j are words of a steer', async (words) => {
    const section = await pressed(await changesAt(''), { on: 'R3 src/two.ts' });
    const id = `remark-${fixture.run.state.head}%20-%20R3%20src/two.ts`;
    expect((await press(section, {}, { [id]: words })).status).toBe(303);
    const said = parseCommand(await newestComment());
    const hunk = '```diff\n@@ -0,0 +1,3 @@\n+line 1\n+line 2\n+line 3\n```';
    const prompt = `#### src/two.ts, line 3\n\n${hunk}\n\n${words.replaceAll('\u200b', '')}`;
    expect(said).toEqual({ type: 'steer', now: false, prompt });
  });

  test('are at most 50 in one steer', async () => {
    const fields = [...fieldsIn(await changesAt(''))];
    const { head } = fixture.run.state;
    for (let line = 1; line <= 50; line += 1)
      fields.push(['at', `${head} - R${line} src/one.ts`], ['quote', '@@'], ['remark', `Say ${line}.`]);
    const answer = await visitor.post(`${path}/comment`, [...fields, ['on', 'R1 src/two.ts']]);
    const section = sectionOf(await answer.text());
    expect(textOf(section)).toContain('A steer has at most 50 remarks. 50 remarks so far');
    expect(section.match(/<textarea/g)).toHaveLength(50);
  });

  test('that name no line are refused', async () => {
    const shown: [string, string] = ['shown', `${fixture.run.state.head} -`];
    for (const odd of [[['shown', 'x']], [shown, ['at', 'src/two.ts']]] as [string, string][][]) {
      const answer = await visitor.post(`${path}/comment`, [
        ['command', 'steer'],
        ['remark', 'Words'],
        ...odd,
      ]);
      expect(answer.status).toBe(400);
      expect(textOf(await answer.text())).toContain('These remarks are not as this page sends them');
    }
  });

  test('that are longer than a comment are refused, and shown again', async () => {
    const section = await pressed(await changesAt(''), { on: 'R3 src/two.ts' });
    const id = `remark-${fixture.run.state.head}%20-%20R3%20src/two.ts`;
    const answer = await press(section, {}, { [id]: 'long '.repeat(20_000) });
    expect(answer.status).toBe(413);
    const page = await answer.text();
    expect(textOf(page)).toContain('GitHub takes at most');
    expect(sectionOf(page)).toContain('long long long');
  });
});

describe('when the head is replaced', () => {
  test('remarks are kept, said to be about the former one, and posted only the second time', async () => {
    const former = fixture.run.state.head;
    const section = await pressed(await changesAt(''), { on: 'R3 src/two.ts' });
    const before = await newestComment();
    await iterates({ 'src/two.ts': lines(1) });
    await changesAt('');
    const id = `remark-${former}%20-%20R3%20src/two.ts`;
    const refused = await press(section, {}, { [id]: 'Too long.' });
    expect([refused.status, await newestComment()]).toEqual([409, before]);
    const again = sectionOf(await refused.text());
    const [short, next] = [former.slice(0, 7), fixture.run.state.head.slice(0, 7)];
    expect(textOf(again)).toContain(`A remark below is about ${short}, which ${next} has replaced since.`);
    expect(textOf(again)).toContain('+line 3 Too long.');
    const chosen = await pressed(section, { on: 'R1 src/one.ts' });
    expect(textOf(chosen)).toContain('The changes have been replaced since, so choose the line again.');
    expect((await press(again, {})).status).toBe(303);
    expect(await newestComment()).toContain(`/steer #### src/two.ts, line 3, at ${short}\n`);
  });

  test('an iteration whose commit is gone is named, and everything is shown', async () => {
    fixture.run.newCommit = () => 'f'.repeat(40);
    fixture.run.says(ada, '/steer more').engine.takes();
    fixture.run.agent.finishes().verifiers.pass();
    await iterates({ 'src/three.ts': lines(1) });
    const gone = fixture.run.state.iteration - 1;
    const section = await changesAt(`?since=${gone}`);
    expect(textOf(section)).toContain(
      `The commit of iteration ${gone} is no longer there, so all changes are shown.`,
    );
    expect(filesIn(section)).toContain('src/two.ts');
  });
});
