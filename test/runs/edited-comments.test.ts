import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { EventOf } from '../../src/steering/state/event.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run on #2 that waits for approval. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, says }) => {
    const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
  });
  fixture = await startRunsFixture(saved);
});

afterAll(async () => {
  await fixture.end();
  await saved.remove();
});

function edit(comment_id: number, second: number): EventOf<'comment_changed'> {
  const time = new Date(Date.UTC(2026, 10, 22, 10, 0, second)).toISOString();
  const id = `comment:${comment_id}@${time}`;
  return { type: 'comment_changed', id, at: time, comment_id, by_author: true, by: 'rea', text: null };
}

test('edits of comments that are not queued take nothing from the budget for pushes', async () => {
  const comment = await fixture.says('rea', number, '/status');
  const { run } = fixture.run(number);
  const before = fixture.forge.requests.git.length;
  const edits = Array.from({ length: 80 }, (_, second) => run.record(edit(comment, second)));
  const recorded = await Promise.all(edits);
  expect(recorded.map(({ fresh }) => fresh)).not.toContain(true);
  expect(fixture.forge.requests.git.length - before).toBeLessThanOrEqual(3);
  const seen = (await run.readLedger())?.seen ?? new Set();
  expect([...seen].filter((id) => id.startsWith(`comment:${comment}@`))).toHaveLength(1);
});

test('the configuration is read for a hand-over by those who may steer, not for strangers', async () => {
  const { run } = fixture.run(number);
  const reading = vi.spyOn(run, 'readSettings');
  await fixture.says('rea', number, '/steer --with codex Do it again.');
  expect(reading).not.toHaveBeenCalled();
  await fixture.says('ada', number, '/steer --with codex Do it again.');
  expect(reading).toHaveBeenCalled();
});
