import { Octokit } from '@octokit/rest';
import { type AppFixture, permissions, name as repository } from '../../app/app-fixture.ts';
import { at } from '../../app/person.ts';
import { protocolAgent, protocolConfig } from '../../app/protocol-agent.ts';
import type { PullClient } from '../../app/pull-client.ts';
import { config } from '../../app/widgets.ts';
import type { Story } from '../story.ts';

const path = '.github/coxswain.yml';
const timed = 'approval: { mode: auto, new_history: 3, auto_proceed_after: 1h, on_timeout: proceed }\n';
const ci = '  - { name: ci, check: "build / test", app: github-actions, timeout: 10m }\n';
const protocol = { [path]: protocolConfig, 'tools/acp-agent.mjs': protocolAgent };

const countedAgent = `version: 1
agent: { use: scripted, script: tools/agent.yml }
limits: { tool_calls: 2 }
verifiers: [{ name: test, run: "test -f README.md" }]
`;
/** It stops between two of them, and whatever is there by then is the same. */
const steps = Array.from({ length: 3 }, () => '{ write: src/0.txt, content: "counted\\n" }');

/** People hold a run, go back and go on, and the world moves while they do. */
export const holding: readonly Story[] = [
  {
    name: 'extended, then gone back',
    play: async ({ fixture: { ada } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval', { iteration: 0 });
      await ada.says(pull, '/extend 1');
      await pull.waitForComment(/may now have/);
      await ada.says(pull, '/steer make it better');
      await pull.waitForPhase('awaiting_approval', { iteration: 1 });
      await ada.says(pull, '/undo');
      await pull.waitForPhase('awaiting_approval', { iteration: 2 });
      return pull;
    },
  },
  {
    name: 'interrupted and tried again',
    play: async ({ fixture: { ada, bob, barrier } }) => {
      const pull = await ada.starts(`agent: wait ${barrier.path}`);
      await barrier.reached();
      await bob.says(pull, '/interrupt Look at it first.');
      await pull.waitForPhase('awaiting_resolution');
      await pull.waitForEvents('work_parked');
      barrier.open();
      await bob.says(pull, '/retry');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'a permission is denied',
    options: { permissions: { ...permissions, workflows: 'write' } },
    play: async ({ fixture: { ada, bob } }) => {
      const pull = await ada.starts('agent: workflow');
      await pull.waitForPhase('awaiting_permission');
      await bob.says(pull, '/deny agent: work without workflows');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'a budget is raised',
    options: {
      files: { [path]: countedAgent, 'tools/agent.yml': `turns: [{ steps: [${steps.join(', ')}] }]\n` },
    },
    play: async ({ fixture: { ada, mia } }) => {
      const pull = await ada.starts('Count to three');
      await pull.waitForPhase('awaiting_resolution');
      await mia.says(pull, '/budget +10 calls');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'a run goes on in time',
    options: { files: { [path]: `${config}${timed}` } },
    play: async ({ fixture: { ada }, advanceClock }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      advanceClock(2);
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      return pull;
    },
  },
  {
    name: 'CI is red, then green',
    options: { files: { [path]: config.replace('verifiers:\n', `verifiers:\n${ci}`) } },
    play: async ({ fixture }) => {
      const pull = await fixture.ada.starts('Make it fine');
      await ciSays(fixture, await waitForHead(pull, 1), 'failure');
      await ciSays(fixture, await waitForHead(pull, 2), 'success');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'a tool call is denied',
    options: { files: protocol },
    // The question stays as it was when it was answered: whether its agent was stopped by then differs.
    compares: ['decided', 'title', 'merged', 'left'],
    play: async ({ fixture: { ada, mia } }) => {
      const pull = await ada.starts('agent: ask psql app -c "DROP TABLE users"');
      await pull.waitForPhase('awaiting_permission');
      // Another attempt would ask the same again.
      await mia.says(pull, '/deny agent: work');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'the base moves while people are asked',
    options: { files: { [path]: `${config}verify_against: merge\n` } },
    play: async ({ fixture: { ada, mia } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await ada.pushes('main', { 'src/news.txt': 'of the base\n' });
      await pull.waitForComment(/The base has moved since: by 1 commit/);
      await mia.says(pull, '/approve');
      await pull.waitForEvents('verified', 2);
      await pull.waitForPhase('approved');
      await pull.waitForDraft(false);
      return pull;
    },
  },
];

/** The commit of an attempt whose verifiers have run. */
async function waitForHead(pull: PullClient, attempt: number): Promise<string> {
  const { state } = await pull.waitForEvents('verified', attempt);
  return state.head;
}

async function ciSays(
  { forge }: AppFixture,
  head_sha: string,
  conclusion: 'success' | 'failure',
): Promise<void> {
  const auth = forge.seed.actionsToken(repository, { checks: 'write' });
  const { rest } = new Octokit({ baseUrl: forge.apiUrl, auth });
  const output = { title: 'CI', summary: conclusion };
  await rest.checks.create({ ...at, name: 'build / test', head_sha, conclusion, output });
}
