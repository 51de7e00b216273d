import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { git } from '../../src/git/git.ts';
import { temporaryFolder } from '../agent/agent-fixture.ts';
import { askingAgent, realKey } from '../network/asking-agent.ts';
import { type ScriptedModel, scriptedModel } from '../network/scripted-model.ts';
import { hasBubblewrap } from '../setup/machine.ts';
import { ActionsFixture, name } from './actions-fixture.ts';

const config = `version: 1
agent: { use: command, command: [node, tools/agent.mjs] }
setup: [env]
verifiers:
  - { name: test, run: 'test -f src/said.txt; env; npm config get registry' }
registries: [{ host: npm.corp.example, kind: npm, token_env: NPM_TOKEN }]
network: { verifiers: registries }
limits: { tokens: 2500 }
`;

/** Assembled, as the other one. */
const registryToken = ['npm', 'T0kenOfTheRegistry0000'].join('-');

let fixture: ActionsFixture;
let model: ScriptedModel;

beforeEach(async () => {
  model = await scriptedModel({ usage: { input: 600, output: 400 } });
  const files = { 'tools/agent.mjs': askingAgent, '.github/coxswain.yml': config };
  fixture = await ActionsFixture.start({ files });
  fixture.environment = {
    ...fixture.environment,
    ANTHROPIC_API_KEY: realKey,
    COXSWAIN_MODEL_URL: model.url,
    NPM_TOKEN: registryToken,
  };
});
afterEach(async () => {
  await fixture.end();
  await model.close();
});

/** What Git keeps of the repository: branches, ledgers and all. */
async function allObjects(): Promise<string> {
  const dir = join(temporaryFolder(), 'copy.git');
  const url = `${fixture.forge.url}/${name}.git`;
  const token = async () => fixture.forge.seed.actionsToken(name, { contents: 'read' });
  await git(['init', '--quiet', '--bare', dir]);
  await git(['fetch', '--quiet', url, '+refs/*:refs/*'], { cwd: dir, remote: { url, token } });
  return git(['cat-file', '--batch-all-objects', '--batch'], { cwd: dir });
}

describe('in a job, an agent with a model', () => {
  test('never has the key, no program the token of a registry, and its run keeps to its budget over several jobs', async () => {
    await fixture.labeledIssue();
    const started = await fixture.onlyFinishedJob();
    const number = Number(started.outputs['pull-request']);
    expect(started.outputs).toMatchObject({ phase: 'awaiting_approval' });
    expect((await fixture.ledger(number)).state.iterations[0]?.cost).toEqual({ tokens: 2000 });
    expect(model.requests.map(({ headers }) => headers['x-api-key'])).toEqual([realKey, realKey]);

    await fixture.comment(number, '/steer Ask again.');
    const steered = await fixture.onlyFinishedJob();
    expect(steered.outputs).toMatchObject({ phase: 'awaiting_resolution' });
    expect(model.requests).toHaveLength(3);
    const { state } = await fixture.ledger(number);
    expect(state.standing).toMatchObject({ interrupt: { type: 'budget_exceeded' } });
    const everything = [await allObjects(), JSON.stringify([started, steered])].join();
    // Only booleans, because a failure that prints what it looked at would print an environment.
    expect({
      hasKeyOfAttempt: /ANTHROPIC_API_KEY=coxswain-[0-9a-f]{48}/.test(everything),
      // The registry is reached through us, where our token is put into requests; only in a sandbox.
      hasRegistry: everything.includes('http://127.0.0.1:3129/'),
      hasRealKey: everything.includes(realKey),
      hasRegistryToken: everything.includes(registryToken),
    }).toEqual({
      ...{ hasKeyOfAttempt: true, hasRegistry: hasBubblewrap },
      ...{ hasRealKey: false, hasRegistryToken: false },
    });
  });
});
