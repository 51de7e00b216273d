import { expect, onTestFinished, test } from 'vitest';
import type { NetworkKit } from '../../src/agent/port/attempt-network.ts';
import { openSpending } from '../../src/network/spending/open-spending.ts';
import { folder, providersAt } from '../network/model-fixture.ts';
import { scriptedModel } from '../network/scripted-model.ts';
import { agentFixture, probed, workBy } from './agent-fixture.ts';

/** Opens three streams, waits until each has begun, and leaves in the middle of them. */
const leaving = `
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key } = process.env;
const messages = [{ role: 'user', content: 'word '.repeat(4000) }];
const body = JSON.stringify({ model: 'claude-opus-4-6', max_tokens: 100, stream: true, messages });
const headers = { 'content-type': 'application/json', 'x-api-key': key };
Promise.all([1, 2, 3].map(async () => {
  const { body: stream } = await fetch(url + '/v1/messages', { method: 'POST', headers, body });
  await stream.getReader().read();
})).then(() => process.exit(0));
`;

test('what an agent leaves under way at its end is spent, and counted once', async () => {
  const model = await scriptedModel({ fault: () => 'stall' });
  onTestFinished(() => model.close());
  const spending = openSpending(folder());
  const providers = providersAt(model.url);
  const network: NetworkKit = { registries: [], privateHosts: [], providers, spending };
  const on = await agentFixture({ 'leave.cjs': leaving }, { sandbox: probed, network });
  const outcome = await workBy('node leave.cjs', on);
  if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome));
  const { tokens = 0, usd = 0 } = outcome.work.cost;
  expect(tokens).toBeGreaterThan(3 * 5000);
  expect(tokens).toBeLessThan(3 * 5500);
  expect(usd).toBeCloseTo((tokens - 300) * 5e-6 + 300 * 25e-6, 6);
  expect(outcome.notices).toEqual([expect.stringContaining('Some of the tokens are estimated')]);
  model.proceed();
  const run = `1#7 2026-03-01T10:00:00.000Z`;
  await expect.poll(() => spending.of(run).tokens).toBe(3 * 1050);
});
