import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openReport } from '../../../src/agent/test-reports/find-reports.ts';
import { testsOf } from '../../../src/agent/test-reports/tests-of.ts';
import { put, temporaryFolder } from '../agent-fixture.ts';
import { oneFailed, testsAfter, workspaceWith } from './reading.ts';

const read = { from: 'junit', total: 2, failed: 1, skipped: 0 };

/** What is read of one report with this content, beside one that is sound. */
async function besides(content: string | Buffer) {
  const workspace = workspaceWith({ 'cart.js': '' });
  return testsAfter(workspace, () => {
    put(workspace, { 'junit.xml': oneFailed });
    writeFileSync(join(workspace, 'junit-2.xml'), content);
  });
}

const billion = `<!DOCTYPE lolz [<!ENTITY a "lol">${Array.from(
  { length: 9 },
  (_, index) =>
    `<!ENTITY ${String.fromCharCode(98 + index)} "${`&${String.fromCharCode(97 + index)};`.repeat(10)}">`,
).join('')}]><testsuite><testcase name="&j;"/></testsuite>`;

test.each([
  ['a billion laughs', billion, 'it declares entities of its own'],
  [
    'an external entity',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="&x;"/>',
    'it declares entities of its own',
  ],
  [
    'an entity that nobody declared',
    '<testsuite name="&x;"/>',
    'it is no sound XML: Invalid character entity',
  ],
  ['broken XML', '<testsuite></testsuites>', 'it is no sound XML: Unexpected close tag'],
  ['text in front', 'hello <testsuite/>', 'it is no sound XML: Non-whitespace before first tag.'],
  [
    'an unknown encoding',
    '<?xml version="1.0" encoding="X-none"?><testsuite/>',
    'its encoding X-none is not known',
  ],
  ['depth', '<testsuite>'.repeat(5000), 'its elements are nested too deeply'],
  [
    'attributes',
    `<testsuite ${Array.from({ length: 5000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
    'an element has too many attributes',
  ],
  [
    'an endless attribute',
    `<testsuite name="${'a'.repeat(2_000_000)}"/>`,
    'it is no sound XML: Max buffer length exceeded: attribValue',
  ],
])('a report with %s is named as unread', async (_, content, why) => {
  expect(await besides(content)).toMatchObject({ ...read, unread: [`junit-2.xml: ${why}`] });
});

test('nothing that is written in a report is a fault of ours', async () => {
  const parts = [
    ...[
      '<testsuite',
      '<testcase',
      '<failure',
      '<skipped',
      '<constructor',
      '<__proto__',
      '<!DOCTYPE a',
      '<![CDATA[',
    ],
    ...[
      '>',
      '/>',
      '</testcase>',
      '</testsuite>',
      '</failure>',
      '</constructor>',
      ']]>',
      '<!--',
      '-->',
      '<?a',
      '?>',
    ],
    ...[
      ' name="a"',
      ' __proto__="b"',
      ' toString="c"',
      ' hasOwnProperty="d"',
      ' file="../a.js"',
      ' line="1e9"',
    ],
    ...['&lt;', '&constructor;', '&#x110000;', '&#0;', '&', 'a:1:2: b', '\u0000', '\ud800', '\n'],
  ];
  const report = fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((each) => each.join(''));
  const workspace = workspaceWith({ 'a.js': '' });
  await fc.assert(
    fc.asyncProperty(report, async (text) => {
      put(workspace, { 'junit.xml': `<testsuite><testcase>${text}` });
      const reading = { workspace, seenAs: workspace, since: 0n, secrets: [], output: '', globs: undefined };
      expect(await testsOf({ ...reading, success: false })).toMatchObject({ from: 'junit' });
    }),
    { numRuns: 500 },
  );
});

test('what a report says before it breaks off is read', async () => {
  const cut =
    '<testsuite><testcase name="a"/><testcase name="b"><failure message="no"/></testcase><testcase na';
  expect(await besides(cut)).toMatchObject({
    ...{ total: 4, failed: 2, failures: [{ name: 'b' }, { name: 'cart › counts' }] },
    unread: ['junit-2.xml: it is no sound XML: Unclosed root tag'],
  });
});

test.each([
  [
    'UTF-16, little-endian',
    Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${oneFailed}`, 'utf16le'),
  ],
  ['UTF-16, big-endian', Buffer.from(`\ufeff${oneFailed}`, 'utf16le').swap16()],
  ['UTF-16 without a mark', Buffer.from(`<?xml version="1.0" encoding="UTF-16LE"?>${oneFailed}`, 'utf16le')],
  ['UTF-16 that is none', Buffer.from(`<?xml version="1.0" encoding="utf-16"?>${oneFailed}`)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${oneFailed}`)],
])('a report in %s is read', async (_, content) => {
  expect(await besides(content)).toEqual({
    ...{ from: 'junit', total: 4, failed: 2, skipped: 0 },
    failures: [expect.objectContaining({ name: 'cart › counts' }), expect.anything()],
  });
});

test('a report in ISO-8859-1 is read as it says', async () => {
  const text =
    '<?xml version="1.0" encoding="ISO-8859-1"?><testsuite><testcase name="Käse"><error/></testcase></testsuite>';
  expect(await besides(Buffer.from(text, 'latin1'))).toMatchObject({ failures: [{ name: 'Käse' }, {}] });
});

test('a report of 200 MB is left alone', async () => {
  const workspace = workspaceWith();
  const before = process.memoryUsage.rss();
  const line = '<testcase name="a"/>'.repeat(5000);
  const report = await testsAfter(workspace, async () => {
    put(workspace, { 'junit.xml': oneFailed });
    const large = createWriteStream(join(workspace, 'junit-2.xml'));
    await pipeline(Readable.from(Array.from({ length: 2000 }, () => line)), large);
  });
  expect(report).toMatchObject({ ...read, unread: ['junit-2.xml: it is larger than 8 MiB'] });
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
});

test('neither a pipe nor a link is a report, and no link to a folder leads to one', async () => {
  const outside = temporaryFolder();
  const workspace = workspaceWith();
  const report = await testsAfter(workspace, () => {
    put(outside, { 'TEST-outside.xml': oneFailed, 'junit.xml': oneFailed });
    mkdirSync(join(workspace, 'target'));
    symlinkSync(outside, join(workspace, 'target', 'surefire-reports'));
    symlinkSync('/etc/passwd', join(workspace, 'report.xml'));
    symlinkSync(join(outside, 'junit.xml'), join(workspace, 'junit.xml'));
    execFileSync('mkfifo', [join(workspace, 'junit-pipe.xml')]);
  });
  expect(report).toBeUndefined();
});

test('a folder that becomes a link while a report is looked for leads nowhere', async () => {
  const outside = temporaryFolder();
  put(outside, { 'junit.xml': oneFailed });
  const workspace = workspaceWith({ 'reports/junit.xml': oneFailed });
  const opened = await openReport(workspace, 'reports/junit.xml', 0n);
  expect(opened).not.toBeTypeOf('string');
  if (typeof opened !== 'string') await opened.close();
  renameSync(join(workspace, 'reports'), join(workspace, 'moved'));
  symlinkSync(outside, join(workspace, 'reports'));
  const replaced = 'it was replaced while it was looked at';
  expect(await openReport(workspace, 'reports/junit.xml', 0n)).toBe(replaced);
  symlinkSync(join(outside, 'junit.xml'), join(workspace, 'junit.xml'));
  expect(await openReport(workspace, 'junit.xml', 0n)).toBe('it cannot be opened');
  execFileSync('mkfifo', [join(workspace, 'pipe.xml')]);
  expect(await openReport(workspace, 'pipe.xml', 0n)).toBe(replaced);
});

test('a program that swaps a folder for a link while reports are opened gets nothing else read', async () => {
  const workspace = workspaceWith({ 'reports/junit.xml': 'inside' });
  const outside = temporaryFolder();
  put(outside, { 'junit.xml': 'outside' });
  const swaps = `while :; do mv reports own; ln -s ${outside} reports; rm reports; mv own reports; done`;
  const swapping = spawn('sh', ['-c', swaps], { cwd: workspace, stdio: 'ignore' });
  const seen = new Set<string>();
  try {
    // Most are refused: what is read has to be there, and all of it from inside.
    for (let nth = 0; nth < 2000 || !seen.has('inside'); nth += 1) {
      const opened = await openReport(workspace, 'reports/junit.xml', 0n);
      if (typeof opened === 'string') continue;
      seen.add(await opened.readFile('utf8'));
      await opened.close();
    }
  } finally {
    swapping.kill('SIGKILL');
    await once(swapping, 'exit');
  }
  expect([...seen]).toEqual(['inside']);
});

test('only what the verifier itself made or changed counts', async () => {
  const workspace = workspaceWith({
    'junit.xml': oneFailed,
    'report.xml': oneFailed,
    'old/junit.xml': oneFailed,
  });
  expect(await testsAfter(workspace, () => undefined)).toBeUndefined();
  const moved = () => renameSync(join(workspace, 'old'), join(workspace, 'test-results'));
  expect(await testsAfter(workspace, moved)).toBeUndefined();
  const written = () => put(workspace, { 'report.xml': oneFailed });
  expect(await testsAfter(workspace, written)).toMatchObject(read);
});

test('paths that lead out of the repository, or to nothing, are left out', async () => {
  const workspace = workspaceWith({ 'src/cart.js': '', '.git/config': '', 'node_modules/a/a.js': '' });
  symlinkSync('/etc', join(workspace, 'etc'));
  const of = (file: string) =>
    `<testcase name="${file}" file="${file}" line="3"><failure>${file}:4: no</failure></testcase>`;
  const files = [
    ...['../../etc/passwd', '/etc/passwd', 'src/../../../etc/passwd', 'etc/passwd', '.git/config', 'src'],
    ...['node_modules/a/a.js', 'src/none.js', 'src/cart.js', '/run/coxswain/workspace/src/cart.js'],
    ...['file:///run/coxswain/workspace/src/cart.js', '/run/coxswain/workspace/../../../etc/passwd'],
  ];
  const report = await testsAfter(workspace, () =>
    put(workspace, { 'junit.xml': `<testsuite>${files.map(of).join('')}</testsuite>` }),
  );
  const found = report?.failures.filter(({ path }) => path !== undefined);
  const cart = { path: 'src/cart.js', line: 4 };
  expect(found).toMatchObject([
    { name: 'src/cart.js', ...cart },
    { name: '/run/coxswain/workspace/src/cart.js', ...cart },
    { name: 'file:///run/coxswain/workspace/src/cart.js', ...cart, line: 3 },
  ]);
});

test('of 10,000 failures, a hundred are kept and all are counted, in little time', async () => {
  const trace = `${'at a.b.c((((((((((((((((((((((((((((((((((((((((((((((((('.repeat(5)}\n`.repeat(20);
  const failure = `<testcase name="a" classname="a"><failure>${trace}</failure></testcase>`;
  const began = performance.now();
  const workspace = workspaceWith();
  const report = await testsAfter(workspace, () =>
    put(workspace, {
      'junit.xml': `<testsuite>${failure.repeat(1000)}${'<testcase name="b"><error/></testcase>'.repeat(9000)}</testsuite>`,
    }),
  );
  expect(report).toMatchObject({ total: 10_000, failed: 10_000 });
  expect(report?.failures).toHaveLength(100);
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('tests are counted, whatever attributes say of them', async () => {
  const lies = `<testsuites tests="1000" failures="0"><testsuite tests="-1" failures="0" errors="NaN">${oneFailed}<testcase name="c"><failure/><error/><skipped/></testcase><testcase name="d"><skipped/></testcase></testsuite></testsuites>`;
  const workspace = workspaceWith();
  const report = await testsAfter(workspace, () => put(workspace, { 'junit.xml': lies }));
  expect(report).toMatchObject({ total: 4, failed: 2, skipped: 1 });
});

test('what is shown has no secret, no control characters and a length', async () => {
  const secret = 'hunter2-hunter2';
  const name = `a&#x9;\u202e${'n'.repeat(50_000)}`;
  const text = `\u001b[31m${secret} \u202eevil\u0007 ${'m'.repeat(50_000)}`;
  const workspace = workspaceWith();
  const report = await testsAfter(
    workspace,
    () =>
      put(workspace, {
        'junit.xml': `<testsuite name="${secret}"><testcase name="${name}"><failure message="${text}"/></testcase></testsuite>`,
      }),
    { secrets: [secret] },
  );
  const [failure] = report?.failures ?? [];
  expect(failure?.name).toMatch(/^\[REDACTED\] › a n+…$/);
  expect(failure?.name).toHaveLength(300);
  expect(failure?.message).toMatch(/^\[REDACTED\] evil m+…$/);
  expect(failure?.message).toHaveLength(1000);
});

test('colours that pytest has written into a report are not shown, and hide no secret', async () => {
  const workspace = workspaceWith({ 'test_x.py': '' });
  const coloured = '#x1B[1m#x1B[31mtest_x.py#x1B[0m:4: AssertionError';
  const written = `<testsuite><testcase name="a"><failure message="#x1B[0m#x1B[91m- hunt#x1B[0mer2-hunter2#x1B[39;49;00m">${coloured}</failure></testcase></testsuite>`;
  const report = await testsAfter(workspace, () => put(workspace, { 'report.xml': written }), {
    secrets: ['hunter2-hunter2'],
  });
  expect(report?.failures).toEqual([{ name: 'a', message: '- [REDACTED]', path: 'test_x.py', line: 4 }]);
});

test('of many reports the newest twenty are read, and the others are named', async () => {
  const workspace = workspaceWith();
  const names = Array.from({ length: 45 }, (_, index) => `target/surefire-reports/TEST-${10 + index}.xml`);
  const report = await testsAfter(
    workspace,
    () => put(workspace, Object.fromEntries(names.map((each) => [each, oneFailed]))),
    { output: 'Tests run: 90, Failures: 45, Errors: 0, Skipped: 0' },
  );
  expect(report).toMatchObject({ from: 'closing_lines', total: 90, failed: 45 });
  expect(report?.failures).toHaveLength(20);
  expect(report?.unread).toEqual([expect.stringMatching(/TEST-.* and 5 more: only the newest 20 are read$/)]);
});

test('what TestNG writes a second time is counted once', async () => {
  const folder = 'target/surefire-reports';
  const workspace = workspaceWith();
  const write = () =>
    put(workspace, {
      [`${folder}/TEST-TestSuite.xml`]: oneFailed,
      [`${folder}/junitreports/TEST-com.acme.CartTest.xml`]: oneFailed,
    });
  expect(await testsAfter(workspace, write)).toMatchObject({ total: 2, failed: 1 });
});

test('of a verifier that passed, a test that was tried again counts once, as it ended', async () => {
  const failed = '<testcase classname="c" name="a"><failure message="no"/></testcase>';
  const tries = `<testsuite>${failed}${failed}<testcase classname="c" name="b"/><testcase classname="c" name="a"/></testsuite>`;
  const workspace = workspaceWith();
  const reading = (success: boolean) =>
    testsAfter(workspace, () => put(workspace, { 'junit.xml': tries }), { success });
  expect(await reading(true)).toMatchObject({ total: 2, failed: 0, failures: [] });
  expect(await reading(false)).toMatchObject({ total: 4, failed: 2, failures: [{}, {}] });
});

test('where only one of two runners writes a report, the closing lines of both are counted', async () => {
  const workspace = workspaceWith();
  const output = 'Tests: 1 failed, 1 passed, 2 total\n12 tests, 3 failures\n';
  const report = await testsAfter(workspace, () => put(workspace, { 'junit.xml': oneFailed }), { output });
  expect(report).toMatchObject({
    from: 'closing_lines',
    total: 14,
    failed: 4,
    failures: [{ name: 'cart › counts' }],
  });
  const fewer = await testsAfter(workspace, () => put(workspace, { 'junit.xml': oneFailed }), {
    output: '12 tests, 0 failures',
  });
  expect(fewer).toMatchObject(read);
});

test('what is found in a usual place and is no report is passed over, but not where a report was said to be', async () => {
  const write = (workspace: string) => () =>
    put(workspace, { 'test-results/coverage.xml': '<coverage/>', 'out/tests.xml': oneFailed });
  const usual = workspaceWith();
  expect(await testsAfter(usual, write(usual))).toBeUndefined();
  const own = workspaceWith();
  expect(await testsAfter(own, write(own), { globs: ['out/*.xml', 'test-results/**'] })).toMatchObject({
    ...read,
    unread: ['test-results/coverage.xml: it is no JUnit report'],
  });
});

test.each(['out', 'out/', '*.xml', 'out/*.json'])('that %s leads to no report is told', async (glob) => {
  const own = workspaceWith();
  const tests = await testsAfter(own, () => put(own, { 'out/tests.xml': oneFailed }), { globs: [glob] });
  expect(tests).toMatchObject({ total: 0, unread: [`${glob}: the command wrote no such file`] });
});
