import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { usualPatience } from '../../src/agent/acp/agent-session.ts';
import { acpAdapter } from '../../src/agent/adapters/acp-agent.ts';
import { adapters, type Live, work } from '../../src/agent/index.ts';
import { openAgents } from '../../src/agent/install/agents.ts';
import type { QuestionAnswer } from '../../src/agent/port/agent-adapter.ts';
import type { Resumed, WorkOutcome } from '../../src/agent/port/assignment.ts';
import { inside } from '../../src/agent/sandbox/folders.ts';
import { providersIn } from '../../src/network/model/providers.ts';
import { openSpending } from '../../src/network/spending/open-spending.ts';
import type { AskedCall } from '../../src/steering/shapes/attempt-result.ts';
import { type AskedQuestion, longestHoldS, usualQuestions } from '../../src/steering/shapes/question.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';
import type { State } from '../../src/steering/state/state.ts';
import { agentFixture, agreeing, default_branch, hold } from '../agent/agent-fixture.ts';
import { settingsOf, stateOf } from '../agent/states.ts';
import { realKeys } from '../network/model-fixture.ts';
import type { Step } from '../network/scripted-answers.ts';
import { type ReceivedRequest, scriptedModel } from '../network/scripted-model.ts';
import {
  claude,
  codex,
  codexAsItIs,
  copilot,
  gemini,
  inProgram,
  opencode,
  qwen,
  type Real,
  reals,
} from './real.ts';

/** Real agents that ask people: what arrives at people, and what the model then reads. */

/** How the model of each agent calls our tool. */
const asking: readonly { real: Real; name: string; ask(input: object): readonly Step[] }[] = [
  { real: claude, name: 'claude', ask: (input) => [called({ name: 'mcp__coxswain__ask_human', input })] },
  {
    ...{ real: codex, name: 'codex with a model that searches for tools' },
    ask: (input) => [
      called({ name: 'tool_search', input: { query: 'ask people' } }),
      called({ name: 'ask_human', namespace: 'mcp__coxswain', input }),
    ],
  },
  {
    ...{ real: codexAsItIs, name: 'codex with a model that writes programs' },
    ask: (input) => [inProgram('mcp__coxswain__ask_human', input)],
  },
  { real: opencode, name: 'opencode', ask: (input) => [called({ name: 'coxswain_ask_human', input })] },
  { real: gemini, name: 'gemini', ask: (input) => [called({ name: 'mcp_coxswain_ask_human', input })] },
  { real: copilot, name: 'copilot', ask: (input) => [called({ name: 'coxswain-ask_human', input })] },
  { real: qwen, name: 'qwen', ask: (input) => [called({ name: 'mcp__coxswain__ask_human', input })] },
];

function called(tool: NonNullable<Step['tool']>): Step {
  return { tool };
}

const agents = openAgents({
  cache: resolve(process.env['COXSWAIN_TEST_AGENTS'] ?? '.coxswain/agents'),
  mayInstall: true,
  log: () => undefined,
});

/** As long as the App holds an agent. */
const holdMs = longestHoldS * 1000;

const question = {
  question: 'Which greeting is it to be?',
  context: 'The README names none.',
  options: ['bye', 'ciao'],
  default: 'bye',
};

/** People and a place for attempts of one run by a real agent. */
async function runOf(real: Real, settings: Partial<Settings> = {}) {
  const script: Step[] = [];
  const model = await scriptedModel({ script, withoutTools: 'A title' });
  onTestFinished(() => model.close());
  const on = await agentFixture({ 'hello.txt': 'hello\n' });
  const providers = providersIn(realKeys, { url: model.url }).filter(({ host }) => host === real.provider);
  const spending = openSpending(join(on.root, 'spending'));
  const resources = {
    ...on.resources,
    network: { registries: [], privateHosts: [], providers, spending },
    adapters: { ...adapters, acp: acpAdapter(usualPatience, agents) },
  };
  const first = stateOf({
    head: on.head,
    settings: settingsOf({
      agent: { ...real.choice, timeout_s: 120 },
      permissions: { edit: 'ask', delete: 'ask', move: 'ask', execute: 'ask', rules: {}, hold_s: 120 },
      ...settings,
    }),
  });
  const permissions: AskedCall[] = [];
  const questions: AskedQuestion[] = [];
  const attempt = async (options: Attempting): Promise<Attempted> => {
    const before = model.requests.length;
    script.splice(0, script.length, ...options.script);
    let told = performance.now();
    const live: Live = {
      ...agreeing,
      ask: async (call) => {
        permissions.push(call);
        return { allowed: true, why: '' };
      },
      question: async (each, signal) => {
        questions.push(each);
        const answer = (await options.people?.(signal)) ?? parked;
        told = performance.now();
        return answer;
      },
    };
    const { state = first, resumed } = options;
    const assignment = { state, hold, commit: on.head, default_branch, ...(resumed && { resumed }) };
    const { signal } = new AbortController();
    const outcome = await work(assignment, resources, { signal, live });
    const endedAfterMs = performance.now() - told;
    return { outcome, requests: model.requests.slice(before).filter(offersTools), endedAfterMs };
  };
  return { first, on, attempt, permissions, questions };
}

interface Attempting {
  readonly script: readonly Step[];
  readonly state?: State;
  readonly resumed?: Resumed;
  people?(signal: AbortSignal): Promise<QuestionAnswer>;
}

interface Attempted {
  readonly outcome: WorkOutcome;
  readonly requests: readonly ReceivedRequest[];
  /** Since people answered, or were waited for no longer. */
  readonly endedAfterMs: number;
}

function offersTools({ body }: ReceivedRequest): boolean {
  return (body?.tools ?? body?.input ?? []).length > 0;
}

const parked: QuestionAnswer = { kind: 'parked' };

/** Nobody answers while the agent is held. */
async function nobody(signal: AbortSignal): Promise<QuestionAnswer> {
  await setTimeout(holdMs, undefined, { signal }).catch(() => undefined); // its turn has ended before
  return parked;
}

/** Somebody answers in a moment. */
function ada(text: string): () => Promise<QuestionAnswer> {
  return () => setTimeout(2_000, { kind: 'answered', text, by: 'ada' });
}

/** Edits are made in the workspace, wherever that is: by a line of shell. */
const edit = (real: Real): Step => real.shell('sed -i s/hello/bye/ hello.txt');

/** Qwen Code lets a shell, too, edit only what it has read. */
const reading = (real: Real): readonly Step[] =>
  real === qwen ? [called({ name: 'read_file', input: { file_path: `${inside.workspace}/hello.txt` } })] : [];

const tested = asking.filter(({ real }) => reals.some(({ choice }) => choice.use === real.choice.use));

describe.each(tested)('$name', ({ real, ask }) => {
  test('is stopped when nobody answers, and goes on with the answer as another process', async () => {
    const run = await runOf(real);
    const { outcome, endedAfterMs } = await run.attempt({
      script: [...reading(real), edit(real), ...ask(question), { text: 'Nobody has answered.' }],
      people: nobody,
    });
    expect(run.questions).toEqual([{ id: 'question-1', ...question }]);
    const left = expectParked(outcome);
    expect(endedAfterMs).toBeLessThan(10_000);
    expect(run.on.git('show', `${left.commit}:hello.txt`)).toBe('bye');

    const next = await run.attempt({
      script: [...reading(real), real.shell('sed -i s/bye/ciao/ hello.txt'), { text: 'All done.' }],
      state: { ...run.first, ...answeredLater(run.first, 'ciao') },
      resumed: left,
    });
    expect(next.outcome).toMatchObject({ kind: 'finished', work: { report: { summary: 'All done.' } } });
    const { head } = next.outcome.kind === 'finished' ? next.outcome.work : { head: '' };
    expect(run.on.git('show', `${head}:hello.txt`)).toBe('ciao');
    expect(textsIn(next.requests[0])).toMatch(
      new RegExp(
        [
          `--- PREVIOUS ACTIONS LOG ---\n${reading(real).length > 0 ? '(?:.*\n)+' : ''}.*execute: sed -i s/hello/bye/ hello.txt\n\n.* (?:ok|unknown).*`,
          '--- END PREVIOUS ACTIONS LOG ---\n\n--- FEEDBACK ---\n\nYou previously asked: ',
        ].join('\n'),
      ),
    );
    expect(textsIn(next.requests[0])).toContain(
      'You previously asked: "Which greeting is it to be?". The user responded: "ciao". ' +
        'Continue your work based on this answer.\n\nWhat you had changed is in the working tree.\n\n--- END FEEDBACK ---',
    );
  });

  test('goes on in the same turn with an answer that comes while it is held', async () => {
    const run = await runOf(real);
    const script = [...reading(real), ...ask(question), edit(real), { text: 'All done.' }];
    const { outcome, requests } = await run.attempt({ script, people: ada('ciao, but politely') });
    expect(outcome).toMatchObject({ kind: 'finished', work: { report: { summary: 'All done.' } } });
    expect(run.questions).toEqual([{ id: 'question-1', ...question }]);
    const results = requests.map((each) => JSON.stringify(lastIn(each)));
    expect(results.join()).toContain('ciao, but politely');
    expect(run.permissions.map(({ command }) => command)).toEqual(['sed -i s/hello/bye/ hello.txt']);
  });

  test('is not offered the tool when questions are switched off', async () => {
    const run = await runOf(real, { questions: { ...usualQuestions, enabled: false } });
    const { requests } = await run.attempt({ script: [{ text: 'Done.' }] });
    expect(requests[0]?.text).toContain('Fix the sum');
    expect(requests[0]?.text).not.toMatch(/ask_human|"(?:AskUserQuestion|ask_user_question)"|- coxswain/);
  });
});

/** Claude has a tool of its own for that. */
const choice = {
  ...{ question: 'Which greeting is it to be?', header: 'Greeting', multiSelect: false },
  options: [
    { label: 'bye', description: 'as the English do' },
    { label: 'ciao', description: 'as the Italians do' },
  ],
};
const form = { tool: { name: 'AskUserQuestion', input: { questions: [choice] } } };

describe.runIf(reals.includes(claude))('the tool of Claude itself', () => {
  test.each(['ciao', 'neither, but hello again'])('is answered: %s', async (answer) => {
    const run = await runOf(claude);
    const script = [form, edit(claude), { text: 'All done.' }];
    const { outcome, requests } = await run.attempt({ script, people: ada(answer) });
    expect(run.questions).toMatchObject([{ question: choice.question, options: ['bye', 'ciao'] }]);
    expect(outcome).toMatchObject({ kind: 'finished', work: { report: { summary: 'All done.' } } });
    expect(JSON.stringify(requests.map(lastIn))).toContain(answer);
    expect(run.permissions.map(({ command }) => command)).toEqual(['sed -i s/hello/bye/ hello.txt']);
  });

  test('is stopped when nobody answers', async () => {
    const run = await runOf(claude);
    const script = [edit(claude), form, { text: 'Nobody has answered.' }];
    const { outcome } = await run.attempt({ script, people: nobody });
    expectParked(outcome);
  });
});

/** Codex has one that does not wait. */
const inPassing = called({
  ...{ name: 'request_user_input_async' },
  input: { questions: [{ title: 'Which greeting is it to be?', options: ['bye', 'ciao'] }] },
});

describe.runIf(reals.includes(codex))('the tool of Codex itself', () => {
  test.each(['ciao', 'neither, but hello again'])('is answered: %s', async (answer) => {
    const run = await runOf(codexAsItIs);
    const script = [inPassing, codexAsItIs.shell('sleep 5'), { text: 'All done.' }];
    const { outcome, requests } = await run.attempt({ script, people: ada(answer) });
    expect(run.questions).toMatchObject([{ question: choice.question, options: ['bye', 'ciao'] }]);
    expect(outcome).toMatchObject({ kind: 'finished' });
    expect(textsIn(requests.at(-1))).toContain(answer);
  });

  test('leaves its question open when it has finished before the answer', async () => {
    const run = await runOf(codexAsItIs);
    const script = [edit(codexAsItIs), inPassing, { text: 'Nobody has answered.' }];
    expectParked((await run.attempt({ script, people: nobody })).outcome);
  });
});

/** Returns what the next attempt goes on from. */
function expectParked(outcome: WorkOutcome): Resumed {
  expect(outcome).toMatchObject({ kind: 'parked', because: 'question', left: { head: expect.any(String) } });
  if (outcome.kind !== 'parked') throw new Error('it is parked');
  const log = outcome.artefacts.find(({ path }) => path.endsWith('reasoning.md'))?.content ?? '';
  return { work: 'there', commit: outcome.left?.head ?? '', log };
}

/** The parts of a state in which somebody has answered the question of an agent that was stopped. */
function answeredLater({ head }: State, reply: string): Pick<State, 'parked' | 'interactions'> {
  const of = { iteration: 0, attempt: 1 };
  const at = '2026-03-01T10:00:00.000Z';
  const settled = { opened_at: at, settled_at: at, by: 'ada', how: 'answered' };
  const asked = { id: 'question:7:3', kind: 'question', head_sha: head, of } as const;
  return {
    parked: { ...of, because: 'question' },
    interactions: [{ ...asked, ...settled, question: { id: 'question-1', ...question }, reply }],
  };
}

/** The texts of a request, whatever its format. */
function textsIn(request: ReceivedRequest | undefined): string {
  const found: string[] = [];
  JSON.stringify(messagesIn(request), (key, value: unknown) => {
    if (['text', 'content'].includes(key) && typeof value === 'string') found.push(value);
    return value;
  });
  return found.join('\n');
}

/** What the model was told last. */
function lastIn(request: ReceivedRequest | undefined): unknown {
  return messagesIn(request)?.at(-1);
}

function messagesIn(request: ReceivedRequest | undefined): readonly unknown[] | undefined {
  const { body } = request ?? {};
  return body?.messages ?? body?.input ?? body?.contents;
}
