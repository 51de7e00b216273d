import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';

let fixture: AppFixture;
afterEach(() => expectCleanEnd(fixture));

test("the page's key is in a file for its user only, and not in the log", async () => {
  fixture = await startAppFixture({});
  await fixture.app.stop();
  await fixture.start({ COXSWAIN_PAGE_TOKEN: fixture.ada.token, LOG_LEVEL: 'trace' });
  const pathIn = (output: string) => /key is in ([^"]+)"/.exec(output)?.[1];
  // The line may come after the App listens.
  await expect.poll(() => pathIn(fixture.app.output())).toBeDefined();
  const path = pathIn(fixture.app.output()) ?? '';
  const address = readFileSync(path, 'utf8').trim();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const key = new URL(address).searchParams.get('key') ?? '';
  expect(key).toHaveLength(24);
  const statusOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).status;
  expect([await statusOf(address), await statusOf(`${address}x`)]).toEqual([303, 401]);
  expect(fixture.app.output()).not.toContain(key);
});

test('where the address of the page cannot be kept, the App ends and does not go on listening', async () => {
  fixture = await startAppFixture({});
  await fixture.app.stop();
  const data = mkdtempSync(join(tmpdir(), 'coxswain-page-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  mkdirSync(join(data, 'page-address'));
  const starting = fixture.start({ COXSWAIN_PAGE_TOKEN: fixture.ada.token, COXSWAIN_DATA: data });
  await expect(starting).rejects.toThrow(/the App exited instead of listening:[\s\S]*page-address/);
});
