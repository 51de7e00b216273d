import { afterEach, expect, test } from 'vitest';
import { type AppFixture, prepareAppFixture } from './app-fixture.ts';

let fixture: AppFixture;
let letGo: () => void = () => undefined;
afterEach(async () => {
  letGo();
  await fixture.end();
});

test('an App whose work cannot be released, because Git does not answer, stops all the same', async () => {
  let isHeld = false;
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  fixture = await prepareAppFixture({
    unchecked: true,
    onRequest: async ({ kind }, next) => {
      if (isHeld && kind === 'git') await released;
      return next();
    },
  });
  await fixture.start();
  const { ada, app, barrier } = fixture;
  await ada.starts(`agent: wait ${barrier.url}`);
  await barrier.reached();
  isHeld = true;
  expect(await app.stop()).toBe(0);
  expect(app.output()).toMatch(/stopped without waiting longer than 20 s/);
});
