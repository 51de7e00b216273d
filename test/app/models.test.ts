import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { git } from '../../src/git/git.ts';
import { temporaryFolder } from '../agent/agent-fixture.ts';
import { askingAgent, realKey } from '../network/asking-agent.ts';
import { type ScriptedModel, scriptedModel } from '../network/scripted-model.ts';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { config } from './widgets.ts';

let fixture: AppFixture;
let model: ScriptedModel;

beforeEach(async () => {
  model = await scriptedModel({ usage: { input: 600, output: 400 } });
});

afterEach(async () => {
  await model.close();
  await expectCleanEnd(fixture);
});

async function start(limits: string): Promise<void> {
  fixture = await startAppFixture({
    variables: { ANTHROPIC_API_KEY: realKey, COXSWAIN_MODEL_URL: model.url },
    files: { 'tools/agent.mjs': askingAgent, '.github/coxswain.yml': `${config}${limits}` },
  });
}

/** What Git keeps of the repository: branches, ledgers and all. */
async function allObjects(): Promise<string> {
  const dir = join(temporaryFolder(), 'copy.git');
  const url = `${fixture.forge.url}/acme/widgets.git`;
  const token = async () => fixture.accounts.tokens.ada;
  await git(['init', '--quiet', '--bare', dir]);
  await git(['fetch', '--quiet', url, '+refs/*:refs/*'], { cwd: dir, remote: { url, token } });
  return git(['cat-file', '--batch-all-objects', '--batch'], { cwd: dir });
}

describe('an agent with a model', () => {
  test('has a key that is worth nothing, and what it uses is counted', async () => {
    await start('');
    const pull = await fixture.ada.starts('Ask');
    await pull.waitForPhase('awaiting_approval', { iteration: 0 });
    expect(model.requests.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
      ['/v1/messages', realKey],
      ['/v1/messages', realKey],
    ]);
    const { state } = await pull.ledger();
    expect(state.iterations[0]?.cost).toEqual({ tokens: 2000 });
    const everything = await allObjects();
    expect(everything).toMatch(/ANTHROPIC_API_KEY=coxswain-[0-9a-f]{48}/);
    expect(everything).toMatch(/200 .*"type":"message"/);
    expect(everything).not.toContain(realKey);
    expect(fixture.app.output()).not.toContain(realKey);
  });

  test('is refused when the run has used its budget, and a human is asked', async () => {
    await start('limits: { tokens: 900 }\n');
    const pull = await fixture.ada.starts('Ask');
    await pull.waitForPhase('awaiting_resolution', { iteration: 0 });
    const { state } = await pull.ledger();
    expect(model.requests).toHaveLength(1);
    expect(state.standing).toMatchObject({ interrupt: { type: 'budget_exceeded' } });
    expect(state.iterations[0]?.cost).toEqual({ tokens: 1000 });
    await pull.waitForComment(/budget of 900 tokens/);
  });
});
