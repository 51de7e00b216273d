import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { longSessions } from './long.ts';
import { neededPrograms } from './machine.ts';

/** What is skipped on a machine that has nothing but Node.js and Git. */

const root = fileURLToPath(new URL('../..', import.meta.url));

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('setup/'))
  .map((path) => `test/${path}`)
  .sort();

/** The test files of which some or all tests need the program. */
function filesWith(name: string): readonly string[] {
  const tag = new RegExp(`(?:tags|needs): \\[[^\\]]*'${name}'`);
  const isPlace = (text: string) => name === 'bubblewrap' && / of places\)/.test(text);
  return files.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return tag.test(text) || isPlace(text);
  });
}

test('CONTRIBUTING lists what each program is needed for; vitest -u updates it', async () => {
  const named = (paths: readonly string[]) => paths.map((path) => `\`${path.slice(5, -8)}\``).join(' ');
  const rows = neededPrograms.map(({ name, install }) => {
    const found = filesWith(name);
    const [long, usual] = [true, false].map((isLong) =>
      found.filter((path) => longSessions.includes(path) === isLong),
    );
    return `| ${name} | ${install} | ${named(usual ?? [])} | ${named(long ?? [])} |\n`;
  });
  const head = '| program | how to get it | in `npm test` | in `npm run test:long` |\n|---|---|---|---|\n';
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const written = page.replace(
    /(?<=<!-- programs -->\n)[\s\S]*(?=<!-- \/programs -->)/,
    head + rows.join(''),
  );
  await expect(written).toMatchFileSnapshot('../../CONTRIBUTING.md');
});

test('whatever is missing, the whole loop is played: the App, the Action, the demo, the page', () => {
  const skipped = new Set(neededPrograms.flatMap(({ name }) => filesWith(name)));
  const inUsual = [...skipped].filter((path) => !longSessions.includes(path));
  expect(inUsual.filter((path) => !/^test\/(?:agent|network)\//.test(path))).toEqual([
    'test/app/odd-machines.test.ts',
    'test/cli/doctor/machine.test.ts',
    'test/forge/gh.test.ts',
  ]);
  expect(inUsual.length).toBeLessThanOrEqual(21);
});
