import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newsOf } from '../../src/page/views/news.ts';
import { EventReader } from '../page/events.ts';
import { type AppFixture, expectCleanEnd, prepareAppFixture } from './app-fixture.ts';
import { protocolAgent, protocolConfig } from './protocol-agent.ts';

/** What people see of an agent at work, on the page of an App. */
let fixture: AppFixture;

beforeAll(async () => {
  fixture = await prepareAppFixture({
    files: { '.github/coxswain.yml': protocolConfig, 'tools/acp-agent.mjs': protocolAgent },
  });
  const { PORT } = fixture.variables;
  const COXSWAIN_PAGE_URL = `http://127.0.0.1:${PORT}`;
  await fixture.start({ COXSWAIN_PAGE_TOKEN: fixture.ada.token, COXSWAIN_PAGE_URL });
});
afterAll(() => expectCleanEnd(fixture));

async function session(): Promise<string> {
  const path = /key is in ([^"]+)"/.exec(fixture.app.output())?.[1] ?? '';
  const answer = await fetch(readFileSync(path, 'utf8').trim(), { redirect: 'manual' });
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

/** The first news with this in its HTML; what comes before may be anything. */
async function until(reader: EventReader, isLike: (html: string) => boolean): Promise<string> {
  for (;;) {
    const event = await reader.next();
    if (event === undefined) throw new Error('the events ended');
    const html = String(event.data);
    if (isLike(html)) return html;
  }
}

test('an agent can be followed from its check run until it ends, and the App ends with a listener', async () => {
  const { ada, app } = fixture;
  const pull = await ada.starts('agent: wait');
  await pull.waitForEvents('attempt_started');
  const page = `${app.url}/acme/widgets/pull/${pull.number}`;
  const check = await pull.check('Coxswain');
  expect(check).toMatchObject({ status: 'in_progress', details_url: page });

  const cookie = await session();
  const reader = await EventReader.open(`${page}/progress`, { cookie });
  expect(await until(reader, (html) => html.includes('working on it'))).toContain('the agent');
  expect(await (await fetch(page, { headers: { cookie } })).text()).toContain('working on it');

  await ada.says(pull, '/steer --now agent: run ls');
  await until(reader, (html) => html.includes('1 tool call') && html.includes('ls'));
  await until(reader, (html) => html.includes('verifiers'));
  const nothing: string = newsOf(null).text;
  await until(reader, (html) => html === nothing);
  await pull.waitForPhase('awaiting_approval');

  const next = reader.next();
  expect(await app.stop()).toBe(0);
  expect(await next).toBeUndefined();
});
