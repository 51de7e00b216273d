import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Issues with a block: 1 is Ada's, who has write, and 2 is Rea's, who has read. */
let saved: SavedForge;
let fixture: RunsFixture;

const block = (text: string) => `\`\`\`yaml coxswain\n${text}\n\`\`\``;
const body = `The clock is late.\n\n${block('acceptance_criteria: [it is on time]\ncomponent: clock\ncritical: true')}`;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, rea }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body });
    await rea.rest.issues.create({ ...at, title: 'Fix the clock', body });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
  fixture.wait(120);
});

afterEach(() => fixture.end());

/** The comment is not delivered, so that it is read with its issue as GitHub has it. */
async function asks(issue_number: number, text: string, by = fixture.ada): Promise<void> {
  await by.rest.issues.createComment({ ...at, issue_number, body: text });
  fixture.waitInApp(120);
  await fixture.sweep();
}

async function started() {
  const [pull] = (await fixture.ada.rest.pulls.list({ ...at, state: 'all' })).data;
  if (pull === undefined) return undefined;
  const ledger = await readLedger(fixture.url, fixture.adasToken, pull.number);
  return ledger && { pull, state: ledger.state };
}

describe('the block of an issue', () => {
  test('counts if its author has write, and the one after /run goes before it, key by key', async () => {
    await asks(1, `/run Be quick.\n${block('component: time\nkind: test\nlimits: { minutes: 5 }')}`);
    const { state, pull } = (await started()) ?? {};
    expect(state).toMatchObject({
      task: {
        ...{ title: 'Fix the clock', description: 'Be quick.\n\nThe clock is late.' },
        ...{ acceptance_criteria: ['it is on time'], component: 'time', kind: 'test' },
      },
      settings: { critical: true, limits: { minutes: 5 } },
      overrides: { critical: true, limits: { minutes: 5 } },
    });
    expect(pull?.body).not.toContain('plain text');
  });

  test('and the one after /run only tighten, each more than the other', async () => {
    await fixture.ada.rest.issues.update({
      ...{ ...at, issue_number: 1 },
      body: block(
        `description: Set it.
approval: { required: 2, mode: manual, protected_paths: [{ paths: ['a/**'], by: ['@ada'] }] }
verifiers: [{ name: docs, run: npm run docs }]
limits: { minutes: 10, tokens: 9 }`,
      ),
    });
    await asks(
      1,
      `/run\n${block(
        `approval: { threshold: 0.9, protected_paths: [{ paths: ['b/**'], by: ['@bob'] }] }
verifiers: [{ name: docs, run: npm run docs }, { name: e2e, run: npm run e2e }]
limits: { minutes: 5 }`,
      )}`,
    );
    const { state } = (await started()) ?? {};
    const verifier = (name: string) => ({ name, run: `npm run ${name}`, required: true });
    const overrides = {
      approval: {
        ...{ required: 2, mode: 'manual', threshold: 0.9 },
        protected_paths: [
          { paths: ['a/**'], by: ['@ada'] },
          { paths: ['b/**'], by: ['@bob'] },
        ],
      },
      verifiers: [verifier('docs'), verifier('e2e')],
      limits: { minutes: 5, tokens: 9 },
    };
    expect(state?.overrides).toEqual(overrides);
    expect(state?.settings).toMatchObject({
      approval: { required: 2, threshold: 0.9 },
      limits: { minutes: 5, tokens: 9 },
    });
  });

  test('is not loosened by the one after /run', async () => {
    await fixture.ada.rest.issues.update({
      ...{ ...at, issue_number: 1 },
      body: block('description: Set it.\napproval: { required: 2 }\nlimits: { minutes: 5 }'),
    });
    fixture.wait(120);
    await asks(1, `/run\n${block('approval: { required: 1 }\nlimits: { minutes: 6, tokens: 9 }')}`);
    expect((await fixture.appComments(1)).at(-1)).toMatch(
      /^The task is not valid.*\n\n- approval\.required: expected at least 2, .*; received 1\n- limits\.minutes: expected at most 5, .*; received 6$/,
    );
  });

  test('of somebody without write is plain text, and that is said', async () => {
    await asks(2, '/run');
    const { state, pull } = (await started()) ?? {};
    expect(state?.task).toMatchObject({ description: body, acceptance_criteria: [], component: '' });
    expect(state?.settings.critical).toBeUndefined();
    expect(pull?.body).toContain(
      'The block or form in the issue was taken as plain text, because rea, who wrote or edited it, has no write access.',
    );
  });

  test.each([
    [
      'was renamed by somebody who has no write any more',
      'bob',
      async () => {
        await fixture.bob.rest.issues.update({ ...at, issue_number: 1, title: 'Fix the clocks' });
        fixture.forge.seed.setCollaborator('acme/api', 'bob', 'read');
        return 1;
      },
      'bob, who wrote or edited it, has no write access',
    ],
    [
      'was edited by such a person before its author wrote it anew',
      'bob',
      async () => {
        await fixture.bob.rest.issues.update({ ...at, issue_number: 1, body: `${body} Soon.` });
        await fixture.ada.rest.issues.update({ ...at, issue_number: 1, body });
        fixture.forge.seed.setCollaborator('acme/api', 'bob', 'none');
        return 1;
      },
      'bob, who wrote or edited it, has no write access',
    ],
    [
      'is of an author who has no write any more',
      'ada',
      async () => {
        fixture.forge.seed.setCollaborator('acme/api', 'ada', 'triage');
        return 1;
      },
      'ada, who wrote or edited it, has no write access',
    ],
    [
      'is of an App',
      'nobody',
      async () => {
        const { octokit } = fixture.run(1).run.repository;
        return (await octokit.rest.issues.create({ ...at, title: 'Fix the clock', body })).data.number;
      },
      'not everybody is known who wrote or edited it',
    ],
  ])('does not count when its issue %s', async (_, who, change, why) => {
    const issue = await change();
    fixture.wait(120);
    await asks(issue, '/run', who === 'ada' ? fixture.bob : fixture.ada);
    const { pull, state } = (await started()) ?? {};
    expect(pull?.body).toContain(`was taken as plain text, because ${why}.`);
    expect(state).toMatchObject({ task: { component: '', description: body } });
    expect(state?.settings.critical).toBeUndefined();
  });
});

test('everything that is wrong with a block is told at once, and nothing starts', async () => {
  await asks(1, `/run\n${block('kind: deploy\ndescripton: a\nlimits: { minutes: 90 }')}`);
  expect(await started()).toBeUndefined();
  const [said] = await fixture.appComments(1);
  expect(said).toMatch(
    /^The task is not valid, so no run was started\. Fix this, then try again:\n\n- kind \(line 1\): expected plan, build or test; received "deploy", such as `kind: build`\n- descripton \(line 2\): expected description \(did you mean that\?\)/,
  );
});

test('a block that loosens is refused, and so are more criteria than anybody reads', async () => {
  await asks(1, `/run\n${block('limits: { minutes: 90 }')}`);
  await fixture.ada.rest.issues.update({ ...at, issue_number: 1, body: 'Fix it.' });
  fixture.wait(120);
  await asks(1, `/run\n\n# Acceptance criteria\n\n${'- one\n'.repeat(200)}`);
  expect(await started()).toBeUndefined();
  const [loose, many] = await fixture.appComments(1);
  expect(loose).toContain("limits.minutes: expected at most 60, the repository's own; received 90");
  expect(many).toContain('acceptance_criteria: expected at most 100 criteria;');
});

test('a retry changes the task, and one with a block that loosens changes nothing', async () => {
  await asks(1, '/run');
  const number = (await started())?.pull.number ?? 0;
  await fixture.says(
    'ada',
    number,
    `/retry\n${block('description: b\nlimits: { minutes: 90 }\ncritical: true')}`,
  );
  expect((await started())?.state.task.description).toBe('The clock is late.');
  expect((await fixture.appComments(number)).at(-1)).toContain(
    "`/retry` was not accepted, and nothing has changed:\n\n- limits.minutes: expected at most 60, the repository's own; received 90",
  );
  await fixture.says('ada', number, `/retry\n${block('description: Set it.\nlimits: { minutes: 9 }')}`);
  expect((await started())?.state).toMatchObject({
    task: { description: 'Set it.', acceptance_criteria: ['it is on time'] },
    overrides: { critical: true, limits: { minutes: 9 } },
  });
});
