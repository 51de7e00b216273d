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

test('administrators see what Actions may do, and the names of secrets', async () => {
  const { at, name } = await fixture.repository();
  const { seed } = fixture.forge;
  const settings = { actions_may_create_pull_requests: true, actions_secrets: ['KEY'] };
  seed.settings(name, settings);
  const token = seed.addUser('root');
  seed.setCollaborator(name, 'root', 'admin');
  const { actions } = fixture.client(token);
  expect((await actions.getGithubActionsPermissionsRepository(at)).data).toMatchObject({ enabled: true });
  const workflow = await actions.getGithubActionsDefaultWorkflowPermissionsRepository(at);
  expect(workflow.data.can_approve_pull_request_reviews).toBe(true);
  expect((await actions.listRepoSecrets(at)).data.secrets.map((secret) => secret.name)).toEqual(['KEY']);
  seed.setCollaborator(name, 'root', 'write');
  for (const asked of [
    actions.getGithubActionsPermissionsRepository(at),
    actions.getGithubActionsDefaultWorkflowPermissionsRepository(at),
    actions.listRepoSecrets(at),
  ])
    expect(await httpErrorOf(asked)).toMatchObject({ status: 403 });
});
