import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

test('a run of a workflow can be read until and after it ends, and keeps its id when it is run again', async () => {
  const { at, name } = await fixture.repository();
  const { seed } = fixture.forge;
  const client = fixture.client(seed.actionsToken(name, { actions: 'read' }));
  const read = async () => (await client.actions.getWorkflowRun({ ...at, run_id: 7 })).data;
  await seed.setWorkflowRun(name, { id: 7, status: 'in_progress', event: 'issues' });
  expect(await read()).toMatchObject({ id: 7, run_attempt: 1, status: 'in_progress', conclusion: null });
  await seed.setWorkflowRun(name, { id: 7, status: 'completed', conclusion: 'cancelled' });
  expect(await read()).toMatchObject({ event: 'issues', status: 'completed', conclusion: 'cancelled' });
  await seed.setWorkflowRun(name, { id: 7, status: 'queued', run_attempt: 2, conclusion: null });
  expect(await read()).toMatchObject({ id: 7, run_attempt: 2, status: 'queued' });
});

test('one needs the permission to read Actions, and a run of this repository', async () => {
  const { at, name } = await fixture.repository();
  const other = await fixture.repository();
  const { seed } = fixture.forge;
  await seed.setWorkflowRun(other.name, { id: 8, status: 'in_progress' });
  await seed.setWorkflowRun(name, { id: 9, status: 'in_progress' });
  const read = (permissions: Record<string, 'read'>, run_id: number) =>
    fixture.client(seed.actionsToken(name, permissions)).actions.getWorkflowRun({ ...at, run_id });
  expect(await httpErrorOf(read({ actions: 'read' }, 8))).toMatchObject({ status: 404 });
  expect(await httpErrorOf(read({ contents: 'read' }, 9))).toMatchObject({ status: 403 });
});
