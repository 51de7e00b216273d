import { afterAll, beforeAll, expect, test } from 'vitest';
import { ada } from '../steering/samples.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { type Visitor, visitorOf } from './visitor.ts';

let fixture: PageFixture;
let visitor: Visitor;

beforeAll(async () => {
  fixture = await startFixture();
  visitor = await visitorOf(fixture);
});

afterAll(() => fixture?.end());

const files = Object.fromEntries(
  Array.from({ length: 5_000 }, (_, nth) => [`src/d${nth % 50}/file${nth}.ts`, `a${nth}\nb\nc\n`]),
);

/** With CPU time, other programs on the machine make no difference; it has that of all threads in it. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, process.cpuUsage(), false];
  const turn = () => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
    if (!isOver) setImmediate(turn);
  };
  turn();
  await work();
  isOver = true;
  return longest;
}

/** The page, once it shows the changes of the newest commit. */
async function pageWith(query: string, text: string): Promise<string> {
  const path = `/acme/api/pull/${fixture.pull}${query}`;
  let page = '';
  const read = async () => {
    page = await (await visitor.get(path)).text();
    return page.includes(text);
  };
  await expect.poll(read, { timeout: 120_000, interval: 500 }).toBe(true);
  return page;
}

test('a change of 5,000 files, a million lines and one line of 50 MB fits a page', async () => {
  const line = 'a line of a file that is rather long, is it not?\n';
  await fixture.push({
    ...files,
    'a/line.txt': 'x'.repeat(50_000_000),
    'a/lines.txt': line.repeat(1_000_000),
  });
  fixture.run.says(ada, '/steer more').engine.takes();
  fixture.run.agent.finishes().verifiers.pass();
  await fixture.record();
  const page = await pageWith('', '5,004 files changed, +1,015,004, −1');
  expect(page.length).toBeLessThan(1_000_000);
  expect(page).toContain(`${'x'.repeat(999)}... (49999001 more bytes)`);
  expect(page).toContain('There are 4,004 more files.');
  const last = await pageWith('?file=src%2Fd49%2Ffile4999.ts', 'Remark on line 3 of src/d49/file4999.ts');
  expect(last.match(/<table class="patch"/g)).toHaveLength(1);
  const lines = await pageWith('?file=a%2Flines.txt', 'Remark on line 4999 of a/lines.txt');
  expect(lines).toContain('The rest of this file is too long for a page');
  expect(lines.length).toBeLessThan(2_500_000);
  // Whoever looks at it asks again every second.
  for (const query of ['', '?file=a%2Flines.txt'])
    expect(await longestTurn(() => pageWith(query, 'id="changes"'))).toBeLessThan(250);
});
