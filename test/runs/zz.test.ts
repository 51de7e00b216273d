import { afterEach, beforeEach, expect, test } from 'vitest';
import { configPath } from '../../src/config/schema.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

let saved: SavedForge;
let fixture: RunsFixture;
const config = (more = '') => `version: 1\nagent: { use: command, command: [sh, agent.sh] }\nverifiers:\n  - { name: test, run: "true" }\n${more}`;
beforeEach(async () => {
  saved = await saveForge(async ({ ada }) => { await ada.rest.issues.create({ ...at, title: 'Fix the clock' }); });
  fixture = await startRunsFixture(saved);
});
afterEach(async () => { await fixture.end(); await saved.remove(); });
const seed = () => fixture.forge.seed;
async function newest(number: number) { const { run } = fixture.run(number); await run.readLedger(); return run.newest; }
const show = async (number: number) => {
  const s = await newest(number);
  console.log(JSON.stringify({ standing: s?.standing, signs: s?.signs, attempts: s?.attempts, approvals: s?.approvals.length }, null, 1), fixture.warnings, (await fixture.appComments(number)).at(-1));
  const { run } = fixture.run(number);
  console.log((await run.events()).map((e) => e.type + ' ' + e.id).join('\n'));
  const pull = (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
  console.log({ merged: pull.merged, state: pull.state, draft: pull.draft, auto: pull.auto_merge?.merge_method });
};
const queued = async () => {
  const q = `query { repository(owner: "acme", name: "api") { mergeQueue(branch: "main") { entries(first: 10) { nodes { headCommit { oid } pullRequest { number } } } } } }`;
  return JSON.stringify(await fixture.ada.graphql(q));
};

test('E1 signatures switched on while open', async () => {
  await seed().commit('acme/api', { [configPath]: config('attempts: {max: 1}\n') });
  await fixture.says('ada', 1, '/run');
  seed().addRuleset('acme/api', { include: ['coxswain/**/*'], rules: [{ type: 'required_signatures' }] });
  await fixture.says('ada', 2, '/steer more');
  await show(2);
});
test('E1b signatures on, update', async () => {
  await seed().commit('acme/api', { [configPath]: config('') });
  await fixture.says('ada', 1, '/run');
  seed().addRuleset('acme/api', { include: ['coxswain/**/*'], rules: [{ type: 'required_signatures' }] });
  await fixture.pushes('ada', { from: 'main', files: { 'x.txt': 'x' } });
  await fixture.says('ada', 2, '/update');
  await show(2);
});
test('E2 queue on while approved and waiting, then off', async () => {
  await seed().commit('acme/api', { [configPath]: config('approval: { finish: merge }\n') });
  await fixture.says('ada', 1, '/run');
  const q = (more: object[] = []) => seed().addRuleset('acme/api', { rules: [{ type: 'merge_queue' }, { type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'ci' }] } }, ...more] as never });
  seed().addRuleset('acme/api', { rules: [{ type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'ci' }] } }] });
  await fixture.says('mia', 2, '/approve');
  await show(2);
  const head = (await newest(2))?.head ?? '';
  q();
  await fixture.ada.rest.repos.createCommitStatus({ ...at, sha: head, context: 'ci', state: 'success' });
  await fixture.sweep();
  console.log('QUEUED', await queued());
  await show(2);
  seed().unprotect('acme/api');
  await fixture.sweep();
  console.log('OFF', await queued());
  await show(2);
});
test('E2b queue cleared while two; unknown to webhooks, sweep', async () => {
  await seed().commit('acme/api', { [configPath]: config('approval: { finish: merge }\n') });
  await fixture.says('ada', 1, '/run');
  seed().addRuleset('acme/api', { rules: [{ type: 'merge_queue' }, { type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'ci' }] } }] });
  const head = (await newest(2))?.head ?? '';
  await fixture.ada.rest.repos.createCommitStatus({ ...at, sha: head, context: 'ci', state: 'success' });
  await fixture.says('mia', 2, '/approve');
  console.log('QUEUED', await queued());
  seed().unprotect('acme/api');
  // a queue again soon, before sweep
  await fixture.ada.rest.issues.createComment({ ...at, issue_number: 1, body: 'x' });
  seed().addRuleset('acme/api', { rules: [{ type: 'merge_queue' }, { type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'ci' }] } }] });
  console.log('QUEUED', await queued());
  await fixture.sweep();
  console.log('QUEUED', await queued());
  await show(2);
});
