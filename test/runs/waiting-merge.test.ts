import { expect, test } from 'vitest';
import { at, saveForge, startRunsFixture } from './runs-fixture.ts';

const number = 2;
const config = (finish: string) =>
  `version: 1\nagent: { use: command, command: [sh, agent.sh] }\napproval: { finish: ${finish} }\n`;

test.each([
  ['merge', ''],
  ['auto-merge', 'Auto-merge is not used'],
])('a merge that GitHub did not allow is tried again as soon as checks pass (%s)', async (finish, why) => {
  const saved = await saveForge(async ({ ada, forge, says }) => {
    await forge.seed.commit('acme/api', { '.github/coxswain.yml': config(finish) });
    forge.seed.protect('acme/api', 'main', { required_checks: ['ci'] });
    const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
  });
  const fixture = await startRunsFixture(saved);
  try {
    const { ada } = fixture;
    const pull = async () => (await ada.rest.pulls.get({ ...at, pull_number: number })).data;
    const { sha } = (await pull()).head;
    await fixture.says('ada', number, `/approve ${sha}`);
    expect(await pull()).toMatchObject({ draft: false, merged: false });
    const said = (await fixture.appComments(number)).at(-1);
    expect(said).toMatch(/^Approved, but GitHub does not allow merging yet \(.*"ci" is expected\)\. /);
    expect(said).toContain(why);
    await fixture.sweep();
    expect((await fixture.appComments(number)).at(-1)).toBe(said);
    await ada.rest.repos.createCommitStatus({ ...at, sha, context: 'ci', state: 'success' });
    await fixture.checksPass(number);
    expect((await pull()).merged).toBe(true);
    expect(fixture.warnings).toEqual([]);
  } finally {
    await fixture.end();
    await saved.remove();
  }
});
