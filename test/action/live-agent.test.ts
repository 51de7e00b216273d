import { afterEach, beforeEach, expect, test } from 'vitest';
import { protocolAgent, protocolConfig } from '../app/protocol-agent.ts';
import { ActionsFixture, at } from './actions-fixture.ts';

/** What is said while a job works is heard by another job, and reaches the agent all the same. */
let fixture: ActionsFixture;

beforeEach(async () => {
  fixture = await ActionsFixture.start({
    files: {
      '.github/coxswain.yml': protocolConfig,
      'tools/acp-agent.mjs': protocolAgent,
      'src/0.txt': 'as it was\n',
    },
  });
});
afterEach(() => fixture.end());

/** Starts a run and waits until its ledger is as expected; its job goes on. */
async function started(task: string, until: RegExp): Promise<number> {
  const { data } = await fixture.ada.rest.issues.create({ ...at, title: 'Widgets', body: task });
  await fixture.ada.rest.issues.addLabels({ ...at, issue_number: data.number, labels: ['coxswain'] });
  for (;;) {
    const { data: pulls } = await fixture.ada.rest.pulls.list(at);
    const [pull] = pulls;
    const text = pull === undefined ? '' : await ledgerText(pull.number);
    if (pull !== undefined && until.test(text)) return pull.number;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function ledgerText(number: number): Promise<string> {
  const ledger = await fixture.ledger(number).catch(() => undefined); // not there yet
  return JSON.stringify(ledger?.state.standing ?? {});
}

async function written(number: number): Promise<string> {
  const { head } = await fixture.pull(number);
  const file = { path: 'src/0.txt', ref: head.sha, mediaType: { format: 'raw' } };
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, ...file });
  return String(data);
}

test('an agent that asks is answered by the job of the comment', async () => {
  const number = await started('agent: ask psql app -c "DROP TABLE users"', /"asking"/);
  await fixture.comment(number, '/allow');
  await fixture.finishedJobs();
  expect((await fixture.ledger(number)).state.standing.phase).toBe('awaiting_approval');
  expect(await written(number)).toBe('allowed\n');
});

test('an agent at work is told by the job of the comment', async () => {
  const number = await started('agent: wait', /"phase":"working"/);
  await fixture.comment(number, '/steer --now agent: work');
  await fixture.finishedJobs();
  const { state } = await fixture.ledger(number);
  expect(state).toMatchObject({ iteration: 0, standing: { phase: 'awaiting_approval' } });
  expect(await written(number)).toBe('fine\n');
});

test('an agent at work is stopped by the job of the comment', async () => {
  const number = await started('agent: wait', /"phase":"working"/);
  await fixture.comment(number, '/cancel');
  await fixture.finishedJobs();
  expect((await fixture.ledger(number)).state.standing.phase).toBe('cancelled');
});
