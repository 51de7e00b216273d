import { describe, expect, test } from 'vitest';
import { at, type RunsFixture } from './runs-fixture.ts';
import { oneTask, onInterruptedRun, stateOf } from './spawning-fixture.ts';

/** What somebody decides about a failed task that is not any more what they have seen. */
let fixture: RunsFixture;
onInterruptedRun((fresh) => {
  fixture = fresh;
});

const resolutions = ['/retry', oneTask, '/abandon'];

const said = async () => (await fixture.appComments(2)).at(-1);

async function pushes(): Promise<string> {
  const { run } = await stateOf(fixture, 2);
  return fixture.pushes('bob', { from: run.branch, files: { 'clock.txt': 'ten past' } });
}

/** The block that the pull request has for those who decide. */
async function blockShown(): Promise<string> {
  const asked = (await fixture.appComments(2)).findLast((text) => text.includes('```yaml coxswain'));
  return /```yaml coxswain[\s\S]*?```/.exec(asked ?? '')?.[0] ?? 'no block';
}

describe('of what GitHub has not told us yet', () => {
  test.each(resolutions)('a push before %s counts: whoever says it is told who pushed what', async (text) => {
    const head = await pushes();
    fixture.wait(10);
    await fixture.says('ada', 2, text);
    const { standing, head: now, replaced_by } = await stateOf(fixture, 2);
    expect([now, replaced_by]).toEqual([head, undefined]);
    expect(standing.phase).toBe('awaiting_approval');
    expect(await fixture.appComments(2)).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^@ada: Nothing was done, because the question put to people no longer applies: bob pushed \\[\`${head.slice(0, 7)}\`\\]\\(.*/compare/\\w{40}\\.\\.\\.${head}\\) at 2\\d.* UTC\\. The current head is being verified, and people are asked again if it fails\\.$`,
        ),
      ),
    );
  });

  test('a merge before /spawn counts', async () => {
    const { node_id: id } = (await fixture.mia.rest.pulls.get({ ...at, pull_number: 2 })).data;
    await fixture.mia.graphql(
      'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }',
      { id },
    );
    await fixture.mia.rest.pulls.merge({ ...at, pull_number: 2 });
    await fixture.says('ada', 2, oneTask);
    expect((await stateOf(fixture, 2)).standing).toMatchObject({ phase: 'done', merged: true });
    expect(await said()).toContain('This was already merged by mia');
  });

  test('another base before /abandon counts', async () => {
    await fixture.pushes('mia', { from: 'main', to: 'next', files: { 'next.txt': 'next' } });
    await fixture.ada.rest.pulls.update({ ...at, pull_number: 2, base: 'next' });
    fixture.wait(10);
    await fixture.says('bob', 2, '/abandon');
    expect(await stateOf(fixture, 2)).toMatchObject({
      run: { base: 'next' },
      standing: { phase: 'awaiting_approval' },
    });
    expect(await fixture.appComments(2)).toContainEqual(
      expect.stringMatching(/^@bob: Nothing was done, because .*: ada changed the base at 2.* UTC\./),
    );
  });

  test('a button says what has changed, too', async () => {
    const { head } = await stateOf(fixture, 2);
    const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: head, check_name: 'Coxswain' });
    const [check] = data.check_runs;
    if (check === undefined) throw new Error('nothing is shown');
    await pushes();
    await fixture.clicks('ada', { check, identifier: 'abandon' });
    await expect.poll(said).toMatch(/^@ada: Nothing was done.*bob pushed/);
  });
});

describe('a block', () => {
  test.each(['/retry', '/spawn'])(
    'of before is refused with %s, however late it is sent',
    async (command) => {
      const block = await blockShown();
      expect(block).toMatch(/\ninterrupt: interrupt:2:\d+\n/);
      await fixture.says('bob', 2, '/retry');
      await fixture.says('bob', 2, '/interrupt It is still too much.');
      fixture.wait(60);
      expect(await blockShown()).not.toBe(block);
      await fixture.says('ada', 2, `${command}\n${block}`);
      expect((await stateOf(fixture, 2)).standing).toMatchObject({ phase: 'awaiting_resolution' });
      expect(await said()).toMatch(
        /^@ada: The block in your `\/\w+` was made for something that is already over \(retried by bob at 2.* UTC/,
      );
      await fixture.says('ada', 2, `${command}\n${await blockShown()}`);
      expect((await stateOf(fixture, 2)).standing.phase).not.toBe('awaiting_resolution');
    },
  );

  test('of another run is refused', async () => {
    const block = (await blockShown()).replace('interrupt:2:', 'interrupt:9:');
    await fixture.says('ada', 2, `/retry\n${block}`);
    expect((await stateOf(fixture, 2)).standing.phase).toBe('awaiting_resolution');
    expect(await said()).toContain('which was never asked here');
  });
});
