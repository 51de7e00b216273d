import { afterEach, expect, onTestFinished, test } from 'vitest';
import { askingAgent, realKey } from '../network/asking-agent.ts';
import { scriptedModel } from '../network/scripted-model.ts';
import { type AppFixture, prepareAppFixture } from './app-fixture.ts';
import { eventually } from './eventually.ts';

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
  await ada.starts(`agent: wait ${barrier.path}`);
  await barrier.reached();
  isHeld = true;
  expect(await app.stop()).toBe(0);
  expect(app.output()).toMatch(/stopped without waiting longer than 20 s/);
});

test('an App stops though a model is in the middle of an answer', async () => {
  const model = await scriptedModel({ fault: () => 'stall' });
  onTestFinished(() => model.close());
  fixture = await prepareAppFixture({
    unchecked: true,
    variables: { ANTHROPIC_API_KEY: realKey, COXSWAIN_MODEL_URL: model.url },
    files: { 'tools/agent.mjs': askingAgent },
  });
  await fixture.start();
  const { ada, app } = fixture;
  await ada.starts('Ask');
  await eventually('a request', () => (model.pending() > 0 ? true : undefined));
  const stopped = app.stop();
  await eventually('the App to stop', () => (app.hasEnded() ? true : undefined), { withinMs: 15_000 });
  expect(await stopped).toBe(0);
});
