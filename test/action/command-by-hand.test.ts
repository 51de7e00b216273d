import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
let fixture: ActionsFixture;
/** Waits for a human. */
let number: number;

beforeAll(async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
  const agent = '{ use: command, command: [sh, -c, "echo right >> price.txt"] }';
  const started = await fixture.dispatch({
    ...{ prompt: 'Write down the price.', agent, critical: 'true', require_approval: 'false' },
    ...{ approval: 'manual', threshold: '0.9', max_steering_iterations: '2' },
  });
  number = Number(started.outputs['pull-request']);
});
afterAll(async () => {
  await fixture.end();
});

test('what a manual start says of approval, iterations and how critical it is tightens the run', async () => {
  const { state } = await fixture.ledger(number);
  expect(state.settings).toMatchObject({
    critical: true,
    approval: { mode: 'manual', threshold: 0.9 },
    steering: { max_iterations: 2 },
  });
  expect(state.overrides).toMatchObject({ critical: true, max_steering_iterations: 2 });
});

describe('a command that is said on a run by starting the workflow', () => {
  test('is that of whoever started it, and counts once', async () => {
    const said = await fixture.dispatch({ run: `#${number}`, command: '/steer Round it\\nto whole cents' });
    expect(said).toMatchObject({ code: 0, outputs: { phase: 'awaiting_approval', iteration: '1' } });
    const { events } = await fixture.ledger(number);
    const steer = events.find((event) => event.type === 'said');
    expect(steer).toMatchObject({
      id: expect.stringMatching(/^dispatch:\d+$/),
      command: { type: 'steer', prompt: 'Round it\nto whole cents' },
      by: { login: 'ada', role: 'maintain' },
      source: { from: 'dispatch' },
    });
    const runId = Number(steer?.id.replace('dispatch:', ''));
    const { payload } = fixture.dispatched.at(-1) ?? { payload: {} };
    const again = fixture.start({ name: 'workflow_dispatch', payload }, { runId });
    expect(await again.outcome).toMatchObject({ code: 0, outputs: { iteration: '1' } });
    await fixture.finishedJobs();
  });

  test("is nobody's when somebody else runs the job again, unless it was recorded before", async () => {
    const environment = { GITHUB_RUN_ATTEMPT: '2', GITHUB_TRIGGERING_ACTOR: 'bob' };
    const { payload } = fixture.dispatched.at(-1) ?? { payload: {} };
    const { seq } = (await fixture.ledger(number)).state;
    const unsaid = { name: 'workflow_dispatch', payload };
    const { code, log, summary } = await fixture.start(unsaid, { environment }).outcome;
    await fixture.finishedJobs();
    const words =
      'ada started this workflow, and bob has run its job again, but nobody can speak for someone else';
    expect(code).toBe(1);
    expect(log).toContain(`::error::acme/widgets#${number}: ${words}`);
    expect(summary).toContain(words);
    const { state, events } = await fixture.ledger(number);
    expect(state.seq).toBe(seq);

    const steer = events.find((event) => event.type === 'said');
    const runId = Number(steer?.id.replace('dispatch:', ''));
    const said = fixture.start(unsaid, { runId, environment });
    expect(await said.outcome).toMatchObject({ code: 0, outputs: { iteration: '1' } });
    await fixture.finishedJobs();
    expect((await fixture.ledger(number)).events.filter(({ type }) => type === 'said')).toHaveLength(1);
  });

  test.each([
    ['/approve', '`/approve` counts only where it can be checked again later'],
    ['/allow', '`/allow` counts only where it can be checked again later'],
    ['/resume', '`/resume` is not available while the run is `awaiting_approval`'],
  ])('%s is refused, in the words of the reply, which the job shows', async (command, words) => {
    const { code, log, summary } = await fixture.dispatch({ run: String(number), command });
    expect(code).toBe(1);
    expect(log).toContain(`::error::acme/widgets#${number}: ${words}`);
    expect(summary).toContain(words);
    expect((await fixture.replies(number)).at(-1)).toContain(words);
  });

  test('takes the role that it takes in a comment', async () => {
    const { payload } = fixture.dispatched.at(-1) ?? { payload: {} };
    const inputs = { run: String(number), command: '/steer Make it cheaper' };
    const { data: sender } = await fixture.grace.rest.users.getAuthenticated();
    const event = { name: 'workflow_dispatch', payload: { ...payload, inputs, sender } };
    const { code, log } = await fixture.start(event).outcome;
    await fixture.finishedJobs();
    expect(code).toBe(1);
    expect(log).toContain('`/steer` requires write on this repository, but your role is read');
    expect((await fixture.ledger(number)).state.iteration).toBe(1);
  });

  test('is refused where there is no run', async () => {
    const { data: issue } = await fixture.ada.rest.issues.create({ ...at, title: 'No run' });
    for (const run of [String(issue.number), '999']) {
      const { code, log } = await fixture.dispatch({ run, command: '/retry' });
      expect(code).toBe(1);
      expect(log).toContain(`::error::acme/widgets#${run} is no run: expected the number of a pull request`);
    }
  });

  test.each([
    [{ run: 'x', command: '/retry' }, 'input run is "x": expected the pull request of a run of acme/widgets'],
    [{ run: '1' }, 'input command is empty: expected what to say there'],
    [{ run: '1', command: '/steer' }, 'Usage: /steer'],
    [{ prompt: 'x', run: '1', command: '/retry' }, 'inputs prompt and command are both set'],
    [
      { run: '1', command: '/retry', critical: 'true' },
      'input critical is set: expected it with prompt only',
    ],
    [{ prompt: 'x', critical: 'yes' }, 'input critical is "yes": expected true or false'],
    [
      { prompt: 'x', threshold: 'high' },
      'approval.threshold: expected a number from 0 to 1; received "high"',
    ],
    [{ prompt: 'x', approval: 'auto' }, 'approval.mode: expected manual; received "auto"'],
  ])('is not understood: %j', async (inputs, words) => {
    const { code, log } = await fixture.dispatch(inputs);
    expect(code).toBe(1);
    expect(log.replaceAll('%0A', '\n')).toContain(words);
  });
});
