import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeFolder } from '../../src/app/instance.ts';
import { expectCleanEnd, prepareAppFixture } from './app-fixture.ts';
import { failedStart } from './app-process.ts';

test('the App works with the umask of a hardened service', { tags: ['bubblewrap'] }, async () => {
  const fixture = await prepareAppFixture({
    variables: {
      COXSWAIN_SANDBOX: 'required',
      NODE_OPTIONS: '--import=data:text/javascript,process.umask(0o077)',
    },
  });
  try {
    await fixture.start();
    const pull = await fixture.ada.starts('Work');
    await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  } finally {
    await expectCleanEnd(fixture);
  }
});

test('a folder for temporary files that is missing is named', async () => {
  const fixture = await prepareAppFixture({ unchecked: true });
  onTestFinished(() => fixture.end());
  const variables = { ...fixture.variables, COXSWAIN_SANDBOX: 'required', TMPDIR: '/missing' };
  const { code, output } = await failedStart(variables);
  expect(code).toBe(1);
  expect(output).toMatch(/could not make a temporary folder in \/missing: does TMPDIR name one\?: ENOENT/);
});

test('a data folder in which nothing can be written is not said to be in use', async () => {
  await expect(takeFolder('/proc/self')).rejects.toThrow(/^could not write to the data folder \/proc\/self$/);
});

test('a file in the place of the data folder is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'data'), '');
  const expected = `could not make the data folder ${folder}/data: expected a folder in COXSWAIN_DATA`;
  await expect(takeFolder(join(folder, 'data'))).rejects.toThrow(expected);
});
