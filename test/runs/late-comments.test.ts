import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, number, saveRunForApproval } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** A comment whose edit or deletion another process has been told of, and passed over, before. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveRunForApproval();
});
afterAll(() => saved.remove());
beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());

const reading = /^\/repos\/acme\/api\/issues\/comments\/\d+$/;

function timesRead(): number {
  return fixture.forge.requests.api.filter(({ method, path }) => method === 'GET' && reading.test(path))
    .length;
}

/** Another replica of the App has just written to the run's ledger. */
function seeAnother(): void {
  const { others } = fixture.run(number).services;
  others?.read({ updated_at: new Date().toISOString(), isFirst: false });
}

const steer = (body: string) => fixture.ada.rest.issues.createComment({ ...at, issue_number: number, body });

async function prompts(): Promise<readonly string[]> {
  const { events } = await ledgerOf(fixture);
  return events.flatMap((event) =>
    event.type === 'said' && event.command.type === 'steer' ? [event.command.prompt] : [],
  );
}

test('a process that is alone does not read a new comment again', async () => {
  await fixture.says('ada', number, '/steer Do this.');
  expect(await prompts()).toEqual(['Do this.']);
  expect(timesRead()).toBe(0);
});

test('one that is not alone reads a comment that may have been edited or deleted', async () => {
  seeAnother();
  const { data: edited } = await steer('/steer Old words.');
  await fixture.ada.rest.issues.updateComment({ ...at, comment_id: edited.id, body: '/steer New words.' });
  await fixture.hears('ada', number, edited);
  expect(await prompts()).toEqual(['New words.']);
  const { data: deleted } = await steer('/steer Forget it.');
  await fixture.ada.rest.issues.deleteComment({ ...at, comment_id: deleted.id });
  await fixture.hears('ada', number, deleted);
  expect(await prompts()).toEqual(['New words.']);
});

test.each(['/budget +5 usd', '/deny not that'])('`%s` counts only as long as it is there', async (text) => {
  seeAnother();
  const { data: comment } = await steer(text);
  await fixture.ada.rest.issues.deleteComment({ ...at, comment_id: comment.id });
  await fixture.hears('ada', number, comment);
  const { events } = await ledgerOf(fixture);
  expect(events.filter(({ type }) => type === 'said')).toEqual([]);
});

test('words that somebody else has edited meanwhile are not attributed to their author', async () => {
  seeAnother();
  const { data: comment } = await steer('/steer Old words.');
  const mia = fixture.client(saved.tokens.mia);
  await mia.rest.issues.updateComment({ ...at, comment_id: comment.id, body: '/steer Be evil.' });
  await fixture.hears('ada', number, comment);
  expect(await prompts()).toEqual([]);
});

test('a delivery that comes late is read again', async () => {
  fixture.wait(-90);
  const { data: comment } = await steer('/steer Forget it.');
  await fixture.ada.rest.issues.deleteComment({ ...at, comment_id: comment.id });
  fixture.wait(90);
  await fixture.hears('ada', number, comment);
  expect(await prompts()).toEqual([]);
});

test('what asks for nothing to be done is not read again', async () => {
  seeAnother();
  for (const text of ['/status', '/reject It is bad.']) await fixture.says('ada', number, text);
  expect(timesRead()).toBe(0);
});

test.each(['/steer It is bad, do it again.', '/verify'])(
  '`%s` takes an approval back, whoever deletes it',
  async (text) => {
    await fixture.says('mia', number, '/approve');
    expect((await ledgerOf(fixture)).state.approvals).toHaveLength(1);
    seeAnother();
    const { data: comment } = await steer(text);
    await fixture.ada.rest.issues.deleteComment({ ...at, comment_id: comment.id });
    await fixture.hears('ada', number, comment);
    const { events } = await ledgerOf(fixture);
    expect(events).toContainEqual(
      expect.objectContaining({ id: expect.stringMatching(`comment:${comment.id}@`) }),
    );
  },
);
