import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ActionsFixture } from '../action/actions-fixture.ts';
import { temporaryFolder } from '../agent/agent-fixture.ts';
import { type AppFixture, expectNoProblems, startAppFixture } from '../app/app-fixture.ts';
import { barrierFolder } from '../app/barrier.ts';
import { at } from '../app/person.ts';
import { realKeys } from '../network/model-fixture.ts';
import type { Step } from '../network/scripted-answers.ts';
import { type Fault, type ScriptedModel, scriptedModel } from '../network/scripted-model.ts';
import { claude, codexAsItIs, type Real } from './real.ts';

/** The whole product with real agents: from the label to the approval, through both doors. */

/** A repository whose test wants another greeting than it has. */
const repository = {
  'README.md': '# greeting\n',
  'hello.txt': 'hello\n',
  'package.json': '{ "name": "greeting", "version": "1.0.0", "scripts": { "test": "node test.mjs" } }\n',
  'package-lock.json':
    '{ "name": "greeting", "version": "1.0.0", "lockfileVersion": 3, "requires": true, ' +
    '"packages": { "": { "name": "greeting", "version": "1.0.0" } } }\n',
  'test.mjs': `import { readFileSync } from 'node:fs';
if (readFileSync('hello.txt', 'utf8').trim() === 'hello') process.exitCode = 1;
`,
};

/** Where npm finds packages on this machine, which the environment of a step does not say. */
const npm = {
  npm_config_registry: execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim(),
  npm_config_cache: execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(),
};

const script: Step[] = [];
let fault: Fault | undefined;
let model: ScriptedModel;

beforeEach(async () => {
  fault = undefined;
  model = await scriptedModel({ script, withoutTools: 'A title', fault: () => fault });
});
afterEach(() => model.close());

/** From now on the model runs this line, and is done. */
function theModelRuns(real: Real, line: string): void {
  script.splice(0, script.length, real.shell(line), { text: `Ran ${line}.` }, { text: 'Done.' });
}

/** What the model was told by whoever asked it last for more than a title. */
function lastPrompt(): string {
  return model.requests.findLast(({ body }) => JSON.stringify(body ?? {}).includes('"tools":[{'))?.text ?? '';
}

const example = z.object({
  jobs: z.object({
    coxswain: z.object({
      steps: z.tuple([
        z.object({ with: z.record(z.string(), z.string()), env: z.record(z.string(), z.string()) }),
      ]),
    }),
  }),
});

describe.each([claude, codexAsItIs])('the Action, as its example has it, with $choice.use', (real) => {
  let fixture: ActionsFixture;

  beforeEach(async () => {
    const text = readFileSync(`examples/${real.choice.use}.yml`, 'utf8');
    const [step] = example.parse(load(text)).jobs.coxswain.steps;
    const keys = Object.entries(realKeys).filter(([name]) => name in step.env);
    const files = { ...repository, '.github/coxswain.yml': null };
    fixture = await ActionsFixture.start({ files, inputs: step.with });
    fixture.environment = {
      ...fixture.environment,
      ...npm,
      ...Object.fromEntries(keys),
      COXSWAIN_MODEL_URL: model.url,
    };
  });
  afterEach(() => fixture.end());

  test('a label becomes a draft pull request, is steered, and approved', async () => {
    theModelRuns(real, 'sed -i s/hello/bye/ hello.txt');
    await fixture.labeledIssue('Say goodbye');
    const started = await fixture.onlyFinishedJob();
    expect(started.log).not.toMatch(/::error/);
    expect(started.outputs).toMatchObject({ phase: 'awaiting_approval', band: 'high' });
    const number = Number(started.outputs['pull-request']);
    expect(await fixture.pull(number)).toMatchObject({ draft: true });
    expect(await written(fixture, number)).toBe('bye\n');
    expect(lastPrompt()).toContain('Say goodbye');

    theModelRuns(real, 'sed -i s/bye/ciao/ hello.txt');
    await fixture.comment(number, '/steer Say it in Italian');
    expect((await fixture.onlyFinishedJob()).outputs).toMatchObject({
      phase: 'awaiting_approval',
      iteration: '1',
    });
    expect(await written(fixture, number)).toBe('ciao\n');
    expect(lastPrompt()).toContain('Say it in Italian');

    fixture.advanceClock({ seconds: 10 });
    await fixture.comment(number, '/approve');
    expect((await fixture.onlyFinishedJob()).outputs).toMatchObject({ phase: 'approved' });
    const { state } = await fixture.ledger(number);
    expect(state.iterations.map(({ cost }) => (cost.tokens ?? 0) > 0)).toEqual([true, true]);
    expect(state.report?.tool_calls).toMatchObject([{ kind: 'execute', outcome: 'ok' }]);
    expect(JSON.stringify(state)).not.toContain(Object.values(realKeys)[0]);
  });
});

async function written(fixture: ActionsFixture, number: number): Promise<string> {
  const { head } = await fixture.pull(number);
  const file = { path: 'hello.txt', ref: head.sha, mediaType: { format: 'raw' } };
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, ...file });
  return String(data);
}

describe('the App', () => {
  let fixture: AppFixture;

  async function start(config: string): Promise<void> {
    const operator = join(temporaryFolder(), 'operator.yml');
    writeFileSync(operator, 'version: 1\ninstall: true\n');
    fixture = await startAppFixture({
      files: { ...repository, '.github/coxswain.yml': config },
      variables: {
        ...npm,
        ...realKeys,
        COXSWAIN_MODEL_URL: model.url,
        COXSWAIN_OPERATOR_FILE: operator,
        COXSWAIN_SANDBOX_READABLE: barrierFolder(),
      },
    });
  }
  afterEach(() => fixture.end());

  async function greeting(ref: string): Promise<string> {
    const file = { path: 'hello.txt', ref, mediaType: { format: 'raw' } };
    return String((await fixture.ada.octokit.rest.repos.getContent({ ...at, ...file })).data);
  }

  test('is killed in the middle, goes on, hands over to another agent, and is approved', async () => {
    await start(readFileSync('examples/coxswain-claude.yml', 'utf8'));
    const { ada } = fixture;
    theModelRuns(claude, 'sed -i s/hello/bye/ hello.txt');
    fault = 'slow';
    const pull = await ada.starts('Say goodbye');
    await expect.poll(() => model.pending(), { timeout: 240_000 }).toBeGreaterThan(0);
    fixture.app.kill();
    await fixture.app.ended;
    fault = undefined;
    model.proceed();
    await fixture.start();
    await pull.waitForPhase('awaiting_approval');
    expect(await greeting(await pull.head())).toBe('bye\n');

    theModelRuns(codexAsItIs, 'sed -i s/bye/ciao/ hello.txt');
    await ada.says(pull, '/steer --with codex Say it in Italian');
    const { head_sha } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    expect(await greeting(head_sha)).toBe('ciao\n');
    expect(model.requests.at(-1)?.path).toContain('/v1/responses');
    await ada.says(pull, `/approve ${head_sha}`);
    await pull.waitForPhase('approved');
    expectNoProblems(fixture);
  });

  test('stops when the budget is met, and goes on when it is raised', async () => {
    await start(
      'version: 1\nagent: claude\nverifiers: [{ name: test, run: npm test }]\nlimits: { tokens: 1500 }\n',
    );
    const { ada } = fixture;
    theModelRuns(claude, 'sed -i s/hello/bye/ hello.txt');
    const pull = await ada.starts('Say goodbye');
    await pull.waitForPhase('awaiting_resolution');
    await pull.waitForComment(/its budget is used up/);
    await ada.says(pull, '/budget +1m tokens');
    const { head_sha } = await pull.waitForPhase('awaiting_approval');
    expect(await greeting(head_sha)).toBe('bye\n');
    expectNoProblems(fixture);
  });

  test('puts a risky call of a real agent before people, and does what they say', async () => {
    await start('version: 1\nagent: claude\nverifiers: [{ name: test, run: "true" }]\n');
    const { ada, mia } = fixture;
    const risky = claude.shell('cat .env || echo none > out.txt');
    script.splice(0, script.length, risky, claude.shell('sed -i s/hello/bye/ hello.txt'), { text: 'Done.' });
    const pull = await ada.starts('Look for secrets');
    await pull.waitForPhase('awaiting_permission');
    expect(await pull.waitForComment(/The agent asks for permission/)).toContain('cat .env');
    await mia.says(pull, '/deny there is nothing to see');
    const { head_sha } = await pull.waitForPhase('awaiting_approval');
    expect(await greeting(head_sha)).toBe('bye\n');
    const { interactions, report } = (await pull.ledger()).state;
    expect(interactions[0]?.answer).toEqual({
      allowed: false,
      why: 'mia denied it: there is nothing to see',
    });
    expect(report?.tool_calls.map(({ outcome }) => outcome)).toEqual(['denied', 'ok']);
    expectNoProblems(fixture);
  });
});
