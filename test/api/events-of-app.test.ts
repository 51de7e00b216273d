import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probeSandbox } from '../../src/agent/index.ts';
import { type AppFixture, startAppFixture } from '../app/app-fixture.ts';
import { at } from '../app/person.ts';
import { type AppParts, openApp } from '../runs/opened-app.ts';
import { serveEvents } from './events-server.ts';

/** The App in a process of its own, and this process, which gets no webhooks. */
let fixture: AppFixture;
let parts: AppParts;
let data: string;

beforeAll(async () => {
  fixture = await startAppFixture({ unchecked: true });
  data = await mkdtemp(join(tmpdir(), 'coxswain-events-'));
  const { forge, accounts, ada } = fixture;
  const { id, default_branch, clone_url, private: isPrivate } = (await ada.octokit.rest.repos.get(at)).data;
  const { registered, installation } = accounts;
  parts = openApp({
    app: { id: registered.id, privateKey: registered.private_key, installation },
    ...{ forge, data, warnings: [], sandbox: await probeSandbox('off'), holdQuestionsMs: 0 },
    repository: { id, owner: at.owner, name: at.repo, default_branch, clone_url, private: isPrivate },
    clock: { appAheadMs: 0 },
  });
});

afterAll(async () => {
  await parts?.close();
  await fixture?.end();
  await rm(data, { recursive: true, force: true });
});

test('what the App records in another process is told here, from the webhook to the event', async () => {
  const pull = await fixture.ada.starts('Make it fine');
  const run = parts.liveRuns.of(parts.repository, pull.number);
  const { listen, close } = await serveEvents({
    run,
    liveRuns: parts.liveRuns,
    limits: { lookEveryMs: 100 },
  });
  const reader = await listen('?since=0');
  const begun = await reader.until('approval_requested');
  expect(begun.map(({ event }) => event)).toEqual([
    ...['run_started', 'attempt_started', 'attempt_finished', 'approval_requested'],
  ]);
  await fixture.mia.says(pull, `/approve ${await pull.head()}`);
  const [received] = await reader.until('approval_received');
  expect(received?.data).toMatchObject({ actor: 'mia', head_sha: await pull.head() });
  await close();
});
