import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, startAppFixture } from './app-fixture.ts';
import { at, type Person } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { requireChecks } from './required-checks.ts';
import { config } from './widgets.ts';

/** What a person with write access does with branches of their own to get something unapproved into `main`. */
let fixture: AppFixture;

/** Only maintainers approve; release branches count too. */
const strict = `${config}approval: { by: [maintain], finish: ready }
bases:
  - { branches: release/*, check: release, verifiers: [{ name: full, run: "test -f README.md" }] }
`;

/** Everyone who can write approves their own work, and nothing is verified. */
const lax =
  'version: 1\nagent: { use: command, command: [node, tools/agent.mjs] }\napproval: { by: [write] }\n';

beforeAll(async () => {
  fixture = await startAppFixture({ files: { '.github/coxswain.yml': strict } });
  const { bob, mia } = fixture;
  await bob.pushes('main', { '.github/coxswain.yml': lax }, { to: 'easy' });
  await mia.pushes('main', { 'src/release.txt': 'one\n' }, { to: 'release/1' });
  await mia.pushes('main', { 'src/release.txt': 'two\n' }, { to: 'release/2' });
  requireChecks(fixture);
  requireChecks(fixture, ['Coxswain (release)', 'Coxswain (release) / full'], ['release/*']);
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

describe('a branch with a configuration of its own', () => {
  test('has the rules of the default branch, and a check that no rule requires', async () => {
    const { bob } = fixture;
    const pull = await adoptedBy(bob, 'evil', 'easy');
    const comment = await bob.says(pull, '/approve');
    await pull.waitForReaction(comment, 'confused');
    await pull.waitForComment(/`\/approve` requires maintain on this repository, but your role is write/);
    expect(await conclusions(pull)).toEqual({
      'Coxswain (unlisted: easy)': 'action_required',
      'Coxswain (unlisted: easy) / lint': 'success',
      'Coxswain (unlisted: easy) / test': 'success',
    });
  });

  test('gives nothing that is worth anything on `main`, even in the second of a retarget', async () => {
    const { bob, mia } = fixture;
    const pull = await adoptedBy(bob, 'evil-too', 'easy');
    await mia.says(pull, '/approve');
    await pull.waitForPhase('approved');
    await pull.waitForDraft(false);
    await bob.retargets(pull, 'main');
    await expectNoMerge(pull, bob);
    await pull.waitForComment(aboutBase('easy', 'main'));
    await pull.waitForPhase('awaiting_approval');
    await expectNoMerge(pull, bob);
    expect(await conclusions(pull)).toMatchObject({
      Coxswain: 'action_required',
      'Coxswain (unlisted: easy)': 'cancelled',
      'Coxswain / test': 'success',
    });
  });
});

describe('an approval for one base', () => {
  test('is void for another, whose verifiers run, and counts for it only when given again', async () => {
    const { bob, mia } = fixture;
    const pull = await adoptedBy(bob, 'honest', 'main');
    await mia.says(pull, '/approve');
    await pull.waitForDraft(false);
    await bob.retargets(pull, 'release/1');
    await expectNoMerge(pull, bob);
    await pull.waitForPhase('awaiting_approval');
    expect(await conclusions(pull)).toMatchObject({
      Coxswain: 'cancelled',
      'Coxswain (release)': 'action_required',
      'Coxswain (release) / full': 'success',
    });
    await mia.says(pull, '/approve');
    await pull.waitForDraft(false);
    await bob.merges(pull);
    await pull.waitForPhase('done');
    expect(await conclusions(pull)).toMatchObject({ 'Coxswain (release)': 'success', Coxswain: 'cancelled' });
  });

  test('is void for another branch of the same entry too, once we know of the retarget', async () => {
    const { bob, mia } = fixture;
    const pull = await adoptedBy(bob, 'shared', 'release/1');
    await mia.says(pull, '/approve');
    await pull.waitForDraft(false);
    await bob.retargets(pull, 'release/2');
    await pull.waitForComment(aboutBase('release/1', 'release/2'));
    await pull.waitForPhase('awaiting_approval');
    const check = await pull.check('Coxswain (release)');
    expect(check.conclusion).toBe('action_required');
    expect(check.output.summary).toMatch(/an approval for any branch matching `release\/\*` counts for all/i);
  });

  test('does not stay green on a commit that was merged into another base', async () => {
    const { bob, mia } = fixture;
    const pull = await adoptedBy(bob, 'elsewhere', 'main');
    await mia.says(pull, '/approve');
    await pull.waitForDraft(false);
    await bob.retargets(pull, 'easy');
    await bob.merges(pull);
    await pull.waitForPhase('done');
    const found = await conclusions(pull);
    expect(Object.entries(found).filter(([check]) => !check.includes('/'))).not.toContainEqual([
      expect.anything(),
      'success',
    ]);
  });
});

/** A pull request of a person, taken over by an agent at their request, which waits for approval. */
async function adoptedBy(person: Person, head: string, base: string): Promise<PullClient> {
  await person.pushes(base, { [`src/${head}.txt`]: `${head}\n` }, { to: head });
  const { data } = await person.octokit.rest.pulls.create({ ...at, head, base, title: head });
  await person.says(data.number, '/run carry it on');
  const pull = person.looksAt(data.number);
  await pull.waitForPhase('awaiting_approval');
  return pull;
}

/** What tells that an approval is void: the webhook of the retarget, or a final check that came before it. */
function aboutBase(from: string, to: string): RegExp {
  return new RegExp(
    `changed the base from \`${from}\` to \`${to}\`|the base is ${to}, but the approval was for ${from}`,
  );
}

/** The conclusion of the newest check run of each name on the head. */
async function conclusions(pull: PullClient): Promise<Record<string, string | null>> {
  const runs = (await pull.checks()).toSorted((one, other) => one.id - other.id);
  return Object.fromEntries(runs.map((run) => [run.name, run.conclusion]));
}

/** Not for want of trying; a draft alone would be no obstacle. */
async function expectNoMerge(pull: PullClient, by: Person): Promise<void> {
  await by.marksReady(pull);
  await expect(by.merges(pull)).rejects.toThrow(/required status check|still a draft/i);
  expect(await pull.details()).toMatchObject({ merged: false });
}
