import { afterEach, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';

// Every job is a separate process on a runner of its own.
/** An agent of the Action asks in one job, and goes on in another, with nothing but the repository between. */
let fixture: ActionsFixture;
afterEach(() => fixture.end());

const agent = `turns:
  - on: { prompt: 'The user responded: "Per kilo"' }
    steps:
      - { append: price.txt, content: "per kilo\\n" }
      - report: { summary: The price is per kilo., status: done }
  - steps:
      - { write: price.txt, content: "right\\n" }
      - { ask: What is the price for?, options: [Per piece, Per kilo] }
`;

test('a question that one job asks is answered by comment, and another job goes on', async () => {
  fixture = await ActionsFixture.start({ files: { 'tools/agent.yml': agent } });
  await fixture.labeledIssue();
  const asked = await fixture.onlyFinishedJob();
  expect(asked).toMatchObject({ code: 0, outputs: { phase: 'awaiting_answer' } });
  const number = Number(asked.outputs['pull-request']);
  const { data: before } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  expect(before).toMatchObject({ draft: true, changed_files: 0 });

  fixture.advanceClock({ seconds: 3 * 24 * 3600 });
  await fixture.comment(number, '/answer 2');
  const answered = await fixture.onlyFinishedJob();
  expect(answered).toMatchObject({ code: 0, outputs: { phase: 'awaiting_approval' } });
  const { head } = await fixture.pull(number);
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, path: 'price.txt', ref: head.sha });
  const text = 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
  expect(text).toBe('right\nper kilo\n');
  const { state } = await fixture.ledger(number);
  expect(state).toMatchObject({ attempts_used: 1, interactions: [{ reply: 'Per kilo', by: 'ada' }] });
});
