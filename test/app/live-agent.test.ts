import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { at } from './person.ts';
import { protocolAgent, protocolConfig } from './protocol-agent.ts';
import type { PullClient } from './pull-client.ts';

/** What people and an agent at work say to each other. */
let fixture: AppFixture;

const dropsTable = 'psql app -c "DROP TABLE users"';

beforeAll(async () => {
  fixture = await startAppFixture({
    files: { '.github/coxswain.yml': protocolConfig, 'tools/acp-agent.mjs': protocolAgent },
  });
});
afterAll(() => expectCleanEnd(fixture));

async function written(pull: PullClient): Promise<string> {
  const { data } = await fixture.ada.octokit.rest.repos.getContent({
    ...at,
    path: 'src/0.txt',
    ref: await pull.head(),
  });
  return 'content' in data ? Buffer.from(data.content, 'base64').toString().trim() : '';
}

describe('an agent that asks before a tool call', () => {
  test('waits for a maintainer, and does it when allowed', async () => {
    const { ada, mia } = fixture;
    const pull = await ada.starts(`agent: ask ${dropsTable}`);
    const { open_interaction } = await pull.waitForPhase('awaiting_permission');
    expect(open_interaction).toMatchObject({ kind: 'permission' });
    const ask = await pull.waitForComment(/The agent asks for permission/);
    expect(ask).toContain(dropsTable);
    expect(ask).toContain('`drops-data` (critical)');
    const check = await pull.check('Coxswain');
    expect(check).toMatchObject({
      status: 'in_progress',
      output: { title: `Waiting for permission: ${dropsTable}` },
    });

    const refused = await ada.says(pull, '/allow');
    expect(await pull.waitForReaction(refused, 'confused')).toContain('confused');
    await mia.says(pull, '/allow');
    const { phase, gates } = await pull.waitForPhase('awaiting_approval');
    expect(phase).toBe('awaiting_approval');
    expect(await written(pull)).toBe('allowed');
    // A person has seen it, so it is no gate at the approval.
    expect(gates).toEqual([]);
    await pull.waitForComment(/Settled:.* allowed once by mia/);
  });

  test('is told why not, and goes on without', async () => {
    const { ada, mia } = fixture;
    const pull = await ada.starts(`agent: ask ${dropsTable}`);
    await pull.waitForPhase('awaiting_permission');
    await mia.says(pull, '/deny use a migration');
    await pull.waitForPhase('awaiting_approval');
    // It would go on without having heard why, so that it is told in a prompt of its own, and works by that.
    expect(await written(pull)).toBe('fine');
    const { interactions } = (await pull.ledger()).state;
    expect(interactions).toContainEqual(
      expect.objectContaining({ answer: { allowed: false, why: 'mia denied it: use a migration' } }),
    );
  });

  test('what it ran without asking is known also if it is stopped', async () => {
    const { ada } = fixture;
    const pull = await ada.starts(`agent: again ${dropsTable}`);
    await pull.waitForPhase('awaiting_permission');
    await ada.says(pull, '/cancel');
    await expect
      .poll(async () => (await pull.ledger()).state.ran)
      .toMatchObject([{ rule: 'drops-data', severity: 'critical' }]);
  });

  test('what it runs without asking is a gate at the approval', async () => {
    const { ada } = fixture;
    const pull = await ada.starts(`agent: run ${dropsTable}`);
    const { gates } = await pull.waitForPhase('awaiting_approval');
    expect(gates).toMatchObject([{ rule: 'drops-data', severity: 'critical' }]);
  });
});

test('what an agent waits for is still open when its App is killed, and is not asked again', async () => {
  const { ada, mia } = fixture;
  const pull = await ada.starts(`agent: ask ${dropsTable}`);
  await pull.waitForPhase('awaiting_permission');
  fixture.app.kill();
  await fixture.app.ended;
  await fixture.start();
  const { state } = await pull.waitForEvents('hold_lost');
  expect(state.standing).toMatchObject({ phase: 'awaiting_permission', call: { command: dropsTable } });
  await mia.says(pull, '/allow');
  await pull.waitForPhase('awaiting_approval');
  expect(await written(pull)).toBe('allowed');
  const { state: after, events } = await pull.ledger();
  expect(after.interactions.flatMap(({ answer }) => answer ?? [])).toEqual([{ allowed: true, why: '' }]);
  expect(events.filter(({ type }) => type === 'permission_requested')).toHaveLength(1);
});

test('what an agent ran without asking is known also if its App stops', async () => {
  const pull = await fixture.ada.starts(`agent: again ${dropsTable}`);
  await pull.waitForPhase('awaiting_permission');
  expect((await pull.ledger()).state.ran).toBeUndefined();
  await fixture.app.stop();
  const { events } = await pull.ledger();
  const ran = [expect.objectContaining({ rule: 'drops-data', severity: 'critical' })];
  expect(events.at(-1)).toMatchObject({ type: 'work_parked', ran });
  await fixture.start();
  await pull.waitForPhase('awaiting_permission');
  expect((await pull.ledger()).state.ran).toEqual(ran);
  await fixture.mia.says(pull, '/cancel');
  await pull.waitForPhase('cancelled');
});

describe('/steer --now', () => {
  test('reaches an agent at work, in the same iteration', async () => {
    const { ada } = fixture;
    const pull = await ada.starts('agent: wait');
    await pull.waitForEvents('attempt_started');
    await ada.says(pull, '/steer --now agent: work');
    const { iteration } = await pull.waitForPhase('awaiting_approval');
    expect(iteration).toBe(0);
    expect(await written(pull)).toBe('fine');
    await pull.waitForComment(
      /The agent was stopped where it was, and continues from there with these words/,
    );
  });
});

describe('/steer --with', () => {
  test('is refused where the key of that agent is missing', async () => {
    const { ada } = fixture;
    const pull = await ada.starts('agent: work');
    await pull.waitForPhase('awaiting_approval');
    const refused = await ada.says(pull, '/steer --with codex Do it again');
    expect(await pull.waitForReaction(refused, 'confused')).toContain('confused');
    await pull.waitForComment(/cannot be handed to `codex`: Codex needs the key of its model/);
    expect((await pull.ledger()).state.overrides).toBeUndefined();
  });

  test('of an agent that nobody knows names those that there are', async () => {
    const { ada } = fixture;
    const pull = await ada.starts('agent: work');
    await pull.waitForPhase('awaiting_approval');
    await ada.says(pull, '/steer --with clod Do it again');
    await pull.waitForComment(/cannot be handed to `clod`: .*opencode/);
  });
});

describe('an agent without the key of its model', () => {
  test('is refused before a run starts', async () => {
    const { ada } = fixture;
    const config = protocolConfig.replace(/^agent: .*$/m, 'agent: claude');
    await ada.pushes('main', { '.github/coxswain.yml': config });
    const issue = await ada.opensIssue('agent: work');
    await ada.labels(issue);
    await ada
      .looksAt(issue)
      .waitForComment(/its agent could not work: Claude Code needs the key of its model/);
    await ada.pushes('main', { '.github/coxswain.yml': protocolConfig });
  });
});

describe('a budget of tool calls', () => {
  test('stops the agent with its work kept, until an approver raises it', async () => {
    const { ada } = fixture;
    await ada.pushes('main', { '.github/coxswain.yml': `${protocolConfig}limits: { tool_calls: 40 }\n` });
    const pull = await ada.starts('agent: calls');
    await pull.waitForPhase('awaiting_resolution');
    expect(await pull.waitForComment(/its budget is used up/)).toContain('`/budget +100 calls`');
    await ada.says(pull, '/budget +100');
    await pull.waitForEvents('attempt_started', 2);
    await ada.says(pull, '/steer --now agent: work');
    await pull.waitForPhase('awaiting_approval');
    await pull.waitForComment(/Each attempt of this run may now use 140 tool calls/);
  });
});
