import { expect, test } from 'vitest';
import { askedEvents, askedPermissions } from '../../../src/app/asked-permissions.ts';
import { readAppYml } from '../../../src/cli/setup/setup-form.ts';

test('the App asks for what app.yml says, each with a reason', async () => {
  const { default_permissions, default_events } = await readAppYml('app.yml');
  const levels = Object.entries(askedPermissions).map(([name, { level }]) => [name, level]);
  expect(default_permissions).toEqual(Object.fromEntries(levels));
  expect(default_events).toEqual(Object.keys(askedEvents));
});
