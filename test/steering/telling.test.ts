import { describe, expect, test } from 'vitest';
import { readTasks } from '../../src/github/markdown/task-blocks.ts';
import { parseSlashCommand } from '../../src/steering/commands/index.ts';
import type { SteerCommand } from '../../src/steering/commands/steer.ts';
import { promptSummary } from '../../src/steering/shapes/people.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';
import { ada, automation, bob, mia, removal } from './samples.ts';
import { type Story, story } from './story.ts';

const claude = { use: 'claude', timeout_s: 1800 } as const;

function atWork(max_iterations = 5): Story {
  return story({ agent: claude, max_iterations }).starts().engine.takes();
}

describe('/steer --now to an agent at work', () => {
  test('is told, and belongs to the iteration', () => {
    const run = atWork().says(ada, '/steer --now keep the old name');
    expect(run.state.standing).toMatchObject({
      phase: 'working',
      telling: [{ prompt: 'keep the old name' }],
    });
    run.agent.isTold('injected');
    expect(run.state.iteration).toBe(0);
    expect(run.state.standing).not.toHaveProperty('telling');
    expect(run.state.iterations[0]?.steers).toMatchObject([{ author: 'ada', told: 'injected' }]);
    expect(run.prompts).toEqual(['keep the old name']);
    expect(run.replies.at(-1)).toEqual({ say: 'told', how: 'injected' });
    expect(run.reactions.at(-1)).toBe('rocket');
  });

  test('starts the next iteration if it cannot be told any more', () => {
    const run = atWork().says(ada, '/steer --now stop that').says(bob, '/steer and this later');
    run.agent.isTold('unable');
    expect(run.state.iteration).toBe(1);
    expect(run.prompts.at(-1)).toBe('stop that\n\nand this later');
    expect(run.replies.at(-1)).toEqual({ say: 'told', how: 'unable' });
  });

  test('loses nothing of what else is on its way when one cannot be told', () => {
    const run = atWork().says(ada, '/steer --now first').says(bob, '/steer --now second');
    run.agent.isTold('unable');
    expect(run.state).toMatchObject({ iteration: 1, queue: [], standing: { phase: 'queued' } });
    expect(run.prompts.at(-1)).toBe('first\n\nsecond');
  });

  test('comes to nothing, and says so, when it cannot be told and no iteration is left', () => {
    const run = atWork(0).says(ada, '/steer --now first').says(bob, '/steer --now second');
    run.agent.isTold('unable');
    expect(run.state).toMatchObject({ queue: [], standing: { telling: [{ prompt: 'second' }] } });
    expect(run.replies.at(-1)).toEqual({ say: 'told', how: 'too_late' });
    expect(run.effects.at(-1)).toMatchObject({ do: 'reply', to: 'ada' });
  });

  test('does not spoil the last iteration when the attempt ends before it is told', () => {
    const run = atWork(0).says(ada, '/steer --now first').says(bob, '/steer --now second');
    run.agent.finishes();
    expect(run.state.queue).toEqual([]);
    expect(run.replies).toEqual([
      { say: 'told', how: 'too_late' },
      { say: 'told', how: 'too_late' },
    ]);
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('starts the next iteration when the attempt ends before it is told', () => {
    const run = atWork().says(ada, '/steer --now rename it');
    run.agent.finishes();
    expect(run.state.queue).toMatchObject([{ prompt: 'rename it' }]);
    run.verifiers.pass();
    expect(run.state.iteration).toBe(1);
    expect(run.prompts.at(-1)).toBe('rename it');
  });

  test('begins the next iteration when the process is lost, not the same attempt once more', () => {
    const run = atWork().says(bob, '/steer and this later').says(ada, '/steer --now rename it');
    run.engine.isLost();
    expect(run.state).toMatchObject({ iteration: 1, queue: [], standing: { phase: 'queued' } });
    expect(run.prompts.at(-1)).toBe('and this later\n\nrename it');
  });

  test('comes to nothing when the process is lost and no iteration is left', () => {
    const run = atWork(0).says(ada, '/steer --now rename it');
    run.engine.isLost();
    expect(run.state).toMatchObject({ iteration: 0, queue: [], standing: { phase: 'queued' } });
    expect(run.replies.at(-1)).toEqual({ say: 'told', how: 'too_late' });
  });

  test('stays on its way when a former holder of the lease ends', () => {
    const run = atWork();
    const { hold } = run;
    run.engine.isLost().engine.takes('another').agent.asks().says(ada, '/steer --now rename it');
    run.agent.finishes({}, hold).agent.isHeld([automation], hold).engine.isLost(hold);
    const failure = { kind: 'exit', message: 'it ended' } as const;
    run.apply({ type: 'work_failed', hold, failure, kept: null, duration_s: 1 });
    expect(run.state.standing).toMatchObject({
      asking: { call: { id: removal.id } },
      telling: [{ prompt: 'rename it' }],
    });
  });

  test('stops an agent that nobody can tell anything', () => {
    const run = story().starts().engine.takes().says(ada, '/steer --now do it differently');
    expect(run.state).toMatchObject({ iteration: 1, standing: { phase: 'queued' } });
  });

  test('is told nobody while allowed work is put on the branch, where no agent works', () => {
    const run = atWork();
    run.agent.isHeld().says(mia, '/allow').engine.takes();
    expect(run.state.standing).toMatchObject({ phase: 'working', held: {} });
    expect(run.says(ada, '/steer --now do it differently').state).toMatchObject({ iteration: 1, queue: [] });
  });

  test('stays in the queue when the run stops because of an internal error', () => {
    const run = atWork().agent.asks().says(ada, '/steer --now rename it').engine.breaks();
    expect(run.phase).toBe('failed');
    expect(run.state.queue).toMatchObject([{ prompt: 'rename it' }]);
    expect(run.state.interactions.at(-1)).toMatchObject({ answer: { why: 'the attempt ended' } });
  });

  test('without --now it is queued', () => {
    const run = atWork().says(ada, '/steer later');
    expect(run.state.queue).toHaveLength(1);
    expect(run.replies.at(-1)).toEqual({ say: 'queued', place: 1 });
  });

  test('begins the next iteration when the agent was told often', () => {
    const run = atWork();
    for (let n = 0; n < 10; n += 1) run.says(ada, `/steer --now ${n}`).agent.isTold('injected');
    expect(run.state.iteration).toBe(0);
    expect(run.says(ada, '/steer --now enough').state.iteration).toBe(1);
  });

  test('is told once, in the lease it was for', () => {
    const run = atWork().says(ada, '/steer --now once');
    const { hold } = run;
    run.agent.isTold('injected').agent.isTold('injected');
    expect(run.state.iterations[0]?.steers).toHaveLength(1);
    run.engine.isLost().engine.takes('another').says(ada, '/steer --now again');
    run.agent.isTold('injected', hold);
    expect(run.state.standing).toMatchObject({ telling: [{ prompt: 'again' }] });
  });
});

describe('whoever was perhaps heard', () => {
  const approval = { steerer_may_approve: false };

  test('may not approve, although it was not known in time and no iteration was left', () => {
    const run = story({ agent: claude, max_iterations: 0, approval }).starts().engine.takes();
    run.says(bob, '/steer --now x');
    const { hold } = run;
    const steer = run.events.at(-1)?.id ?? '';
    run.agent.finishes().apply({ type: 'steer_told', hold, steer, how: 'injected' });
    run.verifiers.pass().says(bob, '/approve');
    expect(run.refusal).toEqual({ why: 'own_work', rule: 'steerer_may_approve' });
    expect(run.says(ada, '/approve').phase).toBe('approved');
  });

  test('may not approve after taking the words back', () => {
    const run = story({ agent: claude, approval }).starts().engine.takes();
    run.says(bob, '/steer --now x', { comment: 77 }).agent.finishes();
    run.edits(77, null, { by: bob }).verifiers.pass().says(bob, '/approve');
    expect(run.refusal).toEqual({ why: 'own_work', rule: 'steerer_may_approve' });
  });

  test('may not approve when the agent could not be told', () => {
    const run = story({ agent: claude, max_iterations: 0, approval }).starts().engine.takes();
    run.says(bob, '/steer --now x').agent.isTold('unable').works().says(bob, '/approve');
    expect(run.refusal).toEqual({ why: 'own_work', rule: 'steerer_may_approve' });
  });
});

describe('a steer on its way to the agent', () => {
  const sent = () => atWork().says(ada, '/steer --now x', { comment: 77 }).says(bob, '/steer --now y');

  test('follows its comment, as a queued one does', () => {
    const run = sent().edits(77, 'x, and the docs');
    expect(run.state.standing).toMatchObject({ telling: [{ prompt: 'x, and the docs' }, { prompt: 'y' }] });
    expect(run.replies.at(-1)).toEqual({ say: 'changed', place: 1 });
    run.agent.finishes();
    expect(run.state.queue).toMatchObject([{ prompt: 'x, and the docs' }, { prompt: 'y' }]);
  });

  test('is withdrawn with it, but its author was perhaps heard', () => {
    const run = sent().edits(77, null);
    expect(run.state.standing).toMatchObject({ telling: [{ prompt: 'y' }] });
    expect(run.state.contributors).toMatchObject([{ login: 'ada' }]);
    expect(run.works().prompts).toEqual(['', 'y']);
  });

  test('stays as it is when others edit its comment', () => {
    const run = sent().edits(77, null, { by: bob, by_author: false });
    expect(run.state.standing).toMatchObject({ telling: [{ prompt: 'x' }, { prompt: 'y' }] });
    expect(run.replies.at(-1)).toEqual({ say: 'unchanged', place: 1 });
  });

  test('does not keep a queued one from following its comment', () => {
    const run = sent().says(ada, '/steer z', { comment: 78 }).edits(78, 'a');
    expect(run.state.queue).toMatchObject([{ prompt: 'a' }]);
  });
});

describe('/steer --with', () => {
  test('hands the next iteration to another agent, and all later ones', () => {
    const run = story({ agent: claude }).starts().works().says(ada, '/steer --with codex fix it');
    expect(run.state.overrides).toEqual({ agent: 'codex' });
    expect(run.state.iterations.at(-1)?.steers).toMatchObject([{ with: 'codex', prompt: 'fix it' }]);
    expect(run.works().says(ada, '/steer more').state.overrides).toEqual({ agent: 'codex' });
  });

  test('waits for the agent at work, or stops it with --now', () => {
    const run = atWork().says(ada, '/steer --with codex fix it');
    expect(run.state.queue).toMatchObject([{ with: 'codex' }]);
    expect(run.state.overrides).toBeUndefined();
    expect(atWork().says(ada, '/steer --now --with codex fix it').state).toMatchObject({
      iteration: 1,
      overrides: { agent: 'codex' },
    });
  });

  test('keeps what the task tightens', () => {
    const run = story({ agent: claude }).starts({}, { overrides: { limits: { minutes: 5 } } });
    run.works().says(ada, '/steer --with codex fix it');
    expect(run.state.overrides).toEqual({ limits: { minutes: 5 }, agent: 'codex' });
  });

  test('takes a name under agents, as if the task had chosen that worker profile', () => {
    const run = story({ agent: claude, profiles: ['careful-2'] }).starts(
      {},
      { overrides: { agent: 'codex' } },
    );
    run.works().says(ada, '/steer --with careful-2 fix it');
    expect(run.state).toMatchObject({ overrides: {}, task: { worker_profile: 'careful-2' } });
    expect(run.works().says(ada, '/steer --with codex more').state).toMatchObject({
      overrides: { agent: 'codex' },
      task: { worker_profile: 'careful-2' },
    });
  });

  test('is refused where that agent cannot be used', () => {
    const run = story({ agent: claude }).starts().works();
    const command = steer('--with codex fix it');
    const source = { from: 'dispatch', workflow_run_id: 5 } as const;
    run.apply({ type: 'said', command, by: ada, source, agent_problem: 'it is not installed' });
    expect(run.refusal).toEqual({ why: 'agent_unusable', agent: 'codex', problem: 'it is not installed' });
    expect(run.phase).toBe('awaiting_approval');
  });
});

function steer(body: string): SteerCommand {
  const command = parseSlashCommand({ word: 'steer', line: body, body }, readTasks);
  if (command?.type !== 'steer') throw new Error(JSON.stringify(command));
  return command;
}

test.each([
  ['--now --with codex go', { now: true, with: 'codex', prompt: 'go' }],
  ['--with=codex --now go', { now: true, with: 'codex', prompt: 'go' }],
  ['--with careful_2-b go', { now: false, with: 'careful_2-b', prompt: 'go' }],
  ['--with codex\ngo\non', { now: false, with: 'codex', prompt: 'go\non' }],
  ['go --now', { now: false, prompt: 'go --now' }],
])('/steer %j is understood', (body, expected) => {
  expect(steer(body)).toEqual({ type: 'steer', ...expected });
});

test.each(['--now --now go', '--with codex --with claude go', '--with', '--with Codex! go', '--now'])(
  '/steer %j is a mistake',
  (body) => {
    expect(parseSlashCommand({ word: 'steer', line: body, body }, readTasks)).toMatchObject({
      type: 'misspoken',
    });
  },
);

describe('/steer where every steer is told', () => {
  const telling = (agent: Settings['agent'] = claude) =>
    story({ agent, steering: { max_iterations: 5, review_timeout_s: 86_400, while_working: 'tell' } })
      .starts()
      .engine.takes();

  test('is told to the agent at work', () => {
    const run = telling().says(ada, '/steer keep the old name');
    expect(run.subject).toBe('Tell the agent at work, from ada: keep the old name');
    run.agent.isTold('injected');
    expect(run.state.iteration).toBe(0);
  });

  test('waits for the end of an agent that cannot be told, and says so', () => {
    const run = telling({ use: 'command', command: ['x'], timeout_s: 60 }).says(ada, '/steer later');
    expect(run.state).toMatchObject({
      iteration: 0,
      queue: [{ prompt: 'later' }],
      standing: { phase: 'working' },
    });
    expect(run.replies.at(-1)).toEqual({ say: 'queued', place: 1, untold: true });
  });

  test('goes to the queue if it cannot be told any more', () => {
    const run = telling().says(ada, '/steer stop that');
    run.agent.isTold('unable');
    expect(run.state).toMatchObject({
      iteration: 0,
      queue: [{ prompt: 'stop that' }],
      standing: { phase: 'working' },
    });
    expect(run.state.standing).not.toHaveProperty('telling');
    expect(run.replies.at(-1)).toEqual({ say: 'queued', place: 1, untold: true });
  });
});

test('a summary is one line of at most 150 characters, cut between words', () => {
  expect(promptSummary(' one\n\n two ')).toBe('one two');
  const cut = promptSummary('word '.repeat(60));
  expect(cut).toMatch(/word…$/);
  expect(cut.length).toBeLessThanOrEqual(150);
  expect(promptSummary('x'.repeat(200))).toBe(`${'x'.repeat(149)}…`);
});
