import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSpending } from '../../src/network/spending/open-spending.ts';
import type { EventOf } from '../../src/steering/state/event.ts';
import { providersAt } from '../network/model-fixture.ts';
import { attemptOn } from './attempt-on.ts';
import { startGivenRun } from './given-run.ts';

test('the agent of a stage finds its own models, not those of the agent before it', async () => {
  const agents = 'agents: { other: { use: command, command: [sh, -c, "env | grep -o ^OPENAI_API_KEY"] } }';
  const given = await startGivenRun(`${agents}\nstages: [{ name: implement, agent: other }]\n`);
  const home = await mkdtemp(join(tmpdir(), 'coxswain-stage-'));
  onTestFinished(async () => {
    await given.end();
    await rm(home, { recursive: true, force: true });
  });
  const providers = providersAt('http://127.0.0.1:9');
  const spending = openSpending(join(home, 'spending'));
  const found: EventOf<'work_finished'>[] = [];
  await attemptOn(given, home, {
    network: { registries: [], privateHosts: [], providers, spending },
    // Claude Code is shown only the models of Anthropic.
    settings: (now) => ({ ...now, agent: { use: 'claude', timeout_s: 60 } }),
    recorded: async (_, event) => void (event.type === 'work_finished' && found.push(event)),
  });
  expect(found.map(({ work }) => work.report.summary)).toEqual(['OPENAI_API_KEY']);
});
