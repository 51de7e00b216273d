import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { expect, test, vi } from 'vitest';
import { noTokens } from '../../src/network/spending/model-budget.ts';
import { openSpending } from '../../src/network/spending/open-spending.ts';
import { folder } from './model-fixture.ts';

const run = 'acme/app#1';

/**
 * Spends 100 tokens; then half of the next record fits, as on a full disk; then there is room again, and it
 * spends 50.
 */
const program = `
  import { execFileSync } from 'node:child_process';
  import { readdirSync, statSync } from 'node:fs';
  const [, , folder] = process.argv;
  const tokens = (input) => ({ input, cached_input: 0, cache_write: 0, long_cache_write: 0, output: 0 });
  const budget = openSpending(folder).budget({ run: '${run}', limits: () => ({}), before: {}, onExhausted() {} });
  const spend = async (input) => {
    const admission = await budget.admit({ model: 'm', tokens: tokens(1), estimated: true });
    admission.settle({ model: 'm', tokens: tokens(input), estimated: false });
  };
  const filesUpTo = (bytes) =>
    execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=' + bytes + ':unlimited']);
  await spend(100);
  filesUpTo(statSync(folder + '/' + readdirSync(folder)[0]).size + 20);
  const failed = await spend(7).then(() => 'nothing', ({ code }) => code);
  filesUpTo('unlimited');
  const admission = await budget.admit({ model: 'm', tokens: tokens(50), estimated: true });
  console.log(failed);
  process.exit(admission.admitted ? 0 : 1);
`;

test('a record that a full disk cut short does not hide the next one', async () => {
  const path = folder();
  const spending = fileURLToPath(new URL('../../src/network/spending/open-spending.ts', import.meta.url));
  const file = join(path, 'spend.mjs');
  writeFileSync(
    join(path, 'spend.ts'),
    `import { openSpending } from ${JSON.stringify(spending)};\n${program}`,
  );
  await build({ input: join(path, 'spend.ts'), platform: 'node', logLevel: 'warn', output: { file } });
  const records = join(path, 'spending');
  const failed = execFileSync(process.execPath, [file, records], { encoding: 'utf8' });
  expect(failed.trim()).toBe('EFBIG');
  const [name = ''] = readdirSync(records);
  expect(readFileSync(join(records, name), 'utf8').split('\n')).toContainEqual(
    expect.stringMatching(/^.{20}$/),
  );
  expect(openSpending(records).of(run).tokens).toBe(150);
});

test('a request that cannot be recorded is refused, and whoever runs the App is told why', async () => {
  const path = join(folder(), 'spending');
  const onFault = vi.fn();
  const budget = openSpending(path, { onFault }).budget({
    run,
    limits: () => ({}),
    before: {},
    onExhausted: vi.fn(),
  });
  execFileSync('rm', ['-r', path]);
  const asked = { model: 'm', tokens: noTokens, estimated: true };
  await expect(budget.admit(asked)).rejects.toThrow('ENOENT');
  expect(onFault).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'ENOENT' }));
});

test.each([
  ['the folder is a file', (path: string) => writeFileSync(path, '')],
  [
    'a file of it is a folder',
    (path: string) => execFileSync('mkdir', ['-p', join(path, '2099-01-01.jsonl')]),
  ],
])('records that cannot be read are named: %s', (_, spoil) => {
  const path = join(folder(), 'spending');
  spoil(path);
  expect(() => openSpending(path)).toThrow(`could not read what models cost in ${path}`);
});
