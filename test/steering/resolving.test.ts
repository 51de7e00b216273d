import { describe, expect, test } from 'vitest';
import { taskBlock } from '../../src/config/tasks/task-documents.ts';
import { deadlines } from '../../src/steering/handlers/deadlines.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { runIn } from './phases.ts';
import { block, dependsOn, hearsOf, isSpawned, writes } from './resolving-story.ts';
import { ada, automation, bob, mia } from './samples.ts';
import { type Story, story } from './story.ts';

const interrupted = () => runIn.awaiting_resolution();
const stoppedBy = (...events: readonly ((run: Story) => Story)[]) =>
  events.reduce((run, event) => event(run), runIn.blocked());

describe('a retry', () => {
  test('renews the attempts, and nothing else of the task', () => {
    const run = interrupted();
    const { task } = run.state;
    run.says(ada, '/retry');
    expect(run.phase).toBe('queued');
    expect(run.state).toMatchObject({ attempts_used: 0, times_lost: 0, task, iteration: 0, attempt: 1 });
    expect(run.reactions.at(-1)).toBe('rocket');
  });

  test('puts the task in other words, for which whoever wrote them has shaped the work', () => {
    const text = block('retry', 'description: On Tuesdays, too', 'acceptance_criteria: [it passes]');
    const run = writes(interrupted(), bob, text);
    expect(run.state.task).toMatchObject({
      ...{ title: 'Fix the flaky test', description: 'On Tuesdays, too', acceptance_criteria: ['it passes'] },
      depends_on: [],
    });
    expect(run.state.contributors).toEqual([{ login: 'bob', id: bob.id }]);
    expect(run.state.interactions.at(-1)).toMatchObject({
      ...{ kind: 'interrupt', by: 'bob' },
      how: 'retried with another description, acceptance criteria',
    });
    expect(run.subject).toBe('Retry requested by bob, with another description, acceptance criteria');
  });

  test('changes nothing if something is wrong with it, and names all of it', () => {
    const problems = ['`description` is empty', 'no agent is called `x`'];
    const run = interrupted();
    const { standing, task } = run.state;
    writes(run, ada, block('retry', 'worker_profile: x'), { problems });
    expect(run.refusal).toEqual({ why: 'task_problems', command: 'retry', problems });
    expect(run.state.task).toEqual(task);
    expect(run.phase).toBe(standing.phase);
  });

  test('of another task is refused', () => {
    const run = writes(interrupted(), ada, block('retry', 'task_id: acme/service#2', 'title: x'));
    expect(run.refusal).toEqual({ why: 'other_task', named: 'acme/service#2', id: 'acme/service#1' });
  });

  test('only tightens: what the task asked for stays', () => {
    const overrides = { agent: 'codex', attempts: { max: 1 } };
    const run = story({ attempts: { max: 1 } })
      .starts({}, { overrides })
      .agent.fails();
    const text = block('retry', 'description: x', 'limits: {minutes: 5}');
    writes(run, ada, text, { overrides: { limits: { minutes: 5 } } });
    expect(run.state.overrides).toEqual({ ...overrides, limits: { minutes: 5 } });
  });

  test('has fewer iterations from then on if the task says so, and never more than people gave it', () => {
    const fewer = (run: Story, most: number) =>
      writes(run, ada, block('retry', `max_steering_iterations: ${most}`), {
        overrides: { max_steering_iterations: most },
      }).state.max_iterations;
    expect(fewer(interrupted(), 2)).toBe(2);
    expect(fewer(interrupted().says(ada, '/extend 2'), 3)).toBe(3);
    const steered = interrupted().says(ada, '/steer x').agent.fails().says(ada, '/steer y').agent.fails();
    expect(fewer(steered, 1)).toBe(2);
    const run = interrupted();
    fewer(run, 2);
    run.agent.fails().says(ada, '/extend 3');
    writes(run, ada, block('retry', 'max_steering_iterations: 2', 'title: x'), {
      overrides: { max_steering_iterations: 2 },
    });
    expect(run.state.max_iterations).toBe(5);
  });

  test('waits for what the task depends on from now on, and begins with the base merged', () => {
    const text = block('retry', 'depends_on: ["#3"]');
    const run = writes(interrupted(), ada, text, dependsOn({ 3: 'open' }));
    expect(run.state.standing).toEqual({ phase: 'blocked', ...dependsOn({ 3: 'open' }) });
    hearsOf(run, { 3: 'ready' });
    expect(run.phase).toBe('queued');
    expect(run.state.merges_base).toBe(true);
  });

  test('of a blocked run still waits unless it changes what for', () => {
    const run = runIn.blocked().says(ada, '/retry');
    expect(run.phase).toBe('blocked');
    writes(run, ada, block('retry', 'description: x'));
    expect(run.phase).toBe('blocked');
    writes(run, mia, block('retry', 'depends_on: []'));
    expect(run.phase).toBe('queued');
    expect(run.state.merges_base).toBeUndefined();
  });

  test('takes maintain if it no longer waits for what is not merged, whatever has stopped it', () => {
    const ways = [() => runIn.blocked(), () => stoppedBy((run) => run.engine.breaks())];
    for (const blocked of ways) {
      const run = writes(blocked(), ada, block('retry', 'depends_on: [4]'), dependsOn({ 4: 'open' }));
      expect(run.refusal).toEqual({
        ...{ why: 'not_permitted', command: 'retry', has: 'write' },
        needs: 'maintain (because it leaves out #3, which is not merged yet)',
      });
      const more = dependsOn({ 3: 'closed', 4: 'open' });
      expect(writes(blocked(), ada, block('retry', 'depends_on: [3, 4]'), more).state.standing).toEqual({
        ...{ phase: 'blocked', ...more },
      });
    }
    const ready = story().starts({}, dependsOn({ 3: 'open', 4: 'ready' }));
    const without = dependsOn({ 3: 'open' });
    writes(ready, ada, block('retry', 'depends_on: [3]'), without);
    expect(ready.state.standing).toEqual({ phase: 'blocked', ...without });
  });

  test('that is wrong is told what is wrong before it is told who may', () => {
    const problems = ['#99 does not exist here'];
    const run = writes(runIn.blocked(), ada, block('retry', 'depends_on: [99]'), { problems });
    expect(run.refusal?.why).toBe('task_problems');
  });

  test('with the block as it was given is a retry without one', () => {
    const task = { ...runIn.queued().state.task, depends_on: ['#3'] };
    const overrides = { critical: true };
    const begun = () =>
      story()
        .starts({}, { ...dependsOn({ 3: 'open' }), task, overrides })
        .says(mia, '/resume');
    const failed = () => begun().engine.takes().says(bob, '/interrupt');
    const given = `/retry\n${taskBlock(task, overrides)}`;
    const run = writes(failed(), ada, given, { ...dependsOn({ 3: 'open' }), overrides });
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
    expect(run.state.interactions.at(-1)).toMatchObject({ how: 'retried' });
    expect(run.state).not.toHaveProperty('contributors');
    const other = writes(failed(), ada, given.replace('kind: build', 'kind: test\nlimits: {minutes: 5}'), {
      ...dependsOn({ 3: 'open' }),
      overrides: { ...overrides, limits: { minutes: 5 } },
    });
    expect(other.state.interactions.at(-1)).toMatchObject({ how: 'retried with another kind, limits' });
    expect(other.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  });

  test('of a run that is approved of can change the task, too', () => {
    const run = writes(runIn.awaiting_approval(), ada, block('retry', 'description: x'));
    expect(run.state).toMatchObject({ standing: { phase: 'queued', work: 'attempt' }, approvals: [] });
    expect(run.state.task.description).toBe('x');
  });

  test('of a run that failed puts allowed work on the branch, unless the task is another one', () => {
    const failed = () => story().starts().agent.isHeld([automation]).says(mia, '/allow').engine.breaks();
    expect(failed().says(ada, '/retry').state.standing).toMatchObject({ phase: 'queued', work: 'land' });
    const run = writes(failed(), ada, block('retry', 'description: x'));
    expect(run.state).toMatchObject({ standing: { phase: 'queued', work: 'attempt' }, set_aside: {} });
    expect(writes(failed(), ada, block('retry', 'task_id: other#1')).refusal?.why).toBe('other_task');
  });

  test('can come late, but only about a failed task', () => {
    const run = interrupted().waits(25);
    expect(run.phase).toBe('timed_out');
    expect(run.says(ada, '/retry').phase).toBe('queued');
    expect(runIn.timed_out().says(ada, '/retry').refusal?.why).toBe('not_now');
  });
});

describe('new tasks', () => {
  test('begin before the run that they replace ends, to which they are linked', () => {
    const run = interrupted().says(ada, '/spawn Do less', { id: 'comment:9@1' });
    expect(run.phase).toBe('awaiting_resolution');
    expect(run.state.standing).toMatchObject({
      spawning: { by: ada, cause: 'comment:9@1', tasks: [{ name: 'do-less', description: 'Do less' }] },
    });
    expect(run.effects.filter((effect) => effect.do === 'spawn')).toHaveLength(1);
    isSpawned(run, { 'do-less': 8 });
    const replaced_by = { cause: 'comment:9@1', made: [{ name: 'do-less', number: 8 }] };
    expect(run.state.replaced_by).toEqual(replaced_by);
    expect(run.state.standing).toEqual({
      ...{ phase: 'abandoned', by: 'ada', reason: 'replaced by #8', replaced_by },
    });
    expect(run.effects.slice(-5).map((effect) => effect.do)).toEqual(
      expect.arrayContaining(['close', 'tell_issue', 'record_outcome', 'wake']),
    );
  });

  test('take the place of work that is under review, which people may approve if none can be made', () => {
    const shown = () => runIn.awaiting_approval();
    expect(shown().says(ada, '/spawn').replies.at(-1)).toEqual({ say: 'ask_tasks' });
    const run = shown().says(ada, '/spawn Do less', { id: 'comment:9@1' });
    expect(run.state.interactions.at(-1)).toMatchObject({ kind: 'approval', by: 'ada', how: 'interrupted' });
    expect(run.state.standing).toMatchObject({
      interrupt: { type: 'manual_interrupt', by: 'ada' },
      spawning: { by: ada, cause: 'comment:9@1', tasks: [{ name: 'do-less' }] },
    });
    expect(isSpawned(run, { 'do-less': 8 }).state.standing).toMatchObject({ reason: 'replaced by #8' });
    const left = isSpawned(shown().says(ada, '/spawn Do less'), {}, 'do-less').waits(1);
    expect(left.says(mia, '/approve').phase).toBe('approved');
  });

  test('need a description: without one it is asked for, and nothing changes', () => {
    const run = interrupted().clicks(ada, 'spawn');
    expect(run.replies.at(-1)).toEqual({ say: 'ask_tasks' });
    expect(run.state.standing).not.toHaveProperty('spawning');
  });

  test('are not made twice, and nobody else decides meanwhile', () => {
    const run = interrupted().says(ada, '/spawn Do less');
    for (const text of ['/spawn Do more', '/retry', '/abandon', '/approve', '/steer x', '/cancel']) {
      run.says(bob, text);
      expect(run.refusal).toEqual({
        ...{ why: 'already_resolved', by: 'ada', how: 'replaced', phase: 'awaiting_resolution' },
      });
    }
    isSpawned(run, { 'do-less': 8 }).says(bob, '/spawn Do more');
    expect(run.refusal).toMatchObject({ why: 'already_resolved', by: 'ada', how: 'replaced by #8' });
  });

  test('come to be whatever is pushed, deleted or closed meanwhile', () => {
    const run = interrupted().says(ada, '/spawn Do less').pushes(bob).retargets(bob, 'release');
    run.deletesBranch(bob).closes(bob).engine.breaks();
    expect(deadlines(run.state)).toEqual([]);
    expect(run.phase).toBe('awaiting_resolution');
    expect(isSpawned(run, { 'do-less': 8 }).phase).toBe('abandoned');
  });

  test('are too late if somebody merges the work meanwhile, which whoever asked for them is told', () => {
    const run = interrupted().says(ada, '/spawn Do less').merges(bob);
    expect(run.state.standing).toEqual({ phase: 'done', merged: true });
    const words = { say: 'spawn_overtaken', by: 'bob' };
    expect(run.effects.findLast((effect) => effect.do === 'reply')).toMatchObject({ to: 'ada', words });
    expect(isSpawned(run, { 'do-less': 8 }).phase).toBe('done');
  });

  test('that cannot all be made leave the run as it was; another try makes the rest', () => {
    const run = interrupted().says(ada, '/spawn Do less', { id: 'comment:9@1' });
    isSpawned(run, { 'do-less': 8 }, 'rest').waits(1);
    expect(run.replies.at(-1)).toMatchObject({ say: 'spawn_failed', name: 'rest' });
    expect(run.effects.findLast((effect) => effect.do === 'reply')).toMatchObject({ to: 'ada' });
    expect(run.phase).toBe('awaiting_resolution');
    expect(deadlines(run.state)).not.toEqual([]);
    run.says(bob, '/spawn Do the rest', { id: 'comment:10@1' });
    expect(run.state.standing).toMatchObject({ spawning: { by: bob, cause: 'comment:9@1' } });
    isSpawned(run, { 'do-the-rest': 9 });
    expect(run.state.standing).toMatchObject({ reason: 'replaced by #8, #9' });
  });

  test('have the history of the run that they replace, but not its decisions', () => {
    const inherited = isSpawned(interrupted().says(ada, '/spawn x'), { x: 8 }).state.interactions;
    const replaces = { number: 7, cause: 'c', name: 'x' };
    const run = story().starts({ number: 8 }, { inherited, replaces }).says(bob, '/abandon');
    expect(run.state.interactions).toEqual(inherited);
    expect(run.state).toMatchObject({ replaces, approvals: [] });
    expect(run.refusal).toEqual({ why: 'not_now', command: 'abandon', phase: 'queued' });
  });

  test('close the issue when they are merged, as far as they are the last', () => {
    const replaces = { number: 7, cause: 'c', name: 'x' };
    const merged = (issue: number | null) =>
      story()
        .starts({ issue }, { replaces })
        .works()
        .merges(bob)
        .effects.map((effect) => effect.do);
    expect(merged(1)).toContain('close_issue');
    expect(merged(null)).not.toContain('close_issue');
    expect(runIn.done().effects.map((effect) => effect.do)).not.toContain('close_issue');
  });
});

describe('a task that is given up', () => {
  test('is closed, and everybody is told', () => {
    const run = interrupted().says(ada, '/abandon no use');
    expect(run.state.standing).toEqual({ phase: 'abandoned', by: 'ada', reason: 'no use' });
    const done = run.effects.map((effect) => effect.do);
    expect(done).toEqual(expect.arrayContaining(['close', 'tell_issue', 'wake']));
  });

  test('is given up once', () => {
    const run = interrupted().says(ada, '/abandon').says(bob, '/abandon');
    expect(run.refusal).toEqual({
      ...{ why: 'already_resolved', by: 'ada', how: 'abandoned', phase: 'abandoned' },
      at: expect.any(String),
    });
  });

  test('goes on where it ended when it is reopened and resumed', () => {
    const run = interrupted().says(ada, '/abandon').reopens(bob).says(bob, '/resume');
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
  });
});

test.each(['/retry', '/spawn x', '/abandon'])(
  '%s says what has come between, as long as that is so',
  (text) => {
    const run = interrupted();
    const from = run.state.head;
    const end = { why: 'already_resolved', by: 'bob', at: expect.any(String) };
    run.pushes(bob).says(ada, text);
    const moved = { from, to: run.state.head };
    expect(run.refusal).toEqual({ ...end, how: 'pushed', phase: 'queued', moved });
    run.engine.takes().verifiers.pass().says(mia, `/approve ${run.state.head}`).says(ada, text);
    expect(run.refusal).toEqual({ why: 'not_now', command: text.slice(1).split(' ')[0], phase: 'approved' });
    expect(interrupted().merges(bob).says(ada, text).refusal).toEqual({
      ...end,
      how: 'merged',
      phase: 'done',
    });
    expect(interrupted().closes(bob).says(ada, text).refusal).toMatchObject({ how: 'closed' });
  },
);

describe('a comment that is older than the interrupt', () => {
  const early = (run: Story, text: string, seconds: number) => {
    const { standing } = run.state;
    const opened_at = standing.phase === 'awaiting_resolution' ? standing.interaction.opened_at : '';
    run.now = Date.parse(opened_at) - seconds * 1000;
    return run.says(ada, text);
  };

  test.each(['/retry', '/spawn x', '/abandon'])('%s is refused with what happened since', (text) => {
    const run = interrupted();
    const { head } = run.state;
    run.pushes(bob).verifiers.fail('test');
    early(run, text, 2);
    expect(run.refusal).toEqual({
      ...{ why: 'written_before', command: text.split(' ')[0]?.slice(1) },
      happened: {
        ...{ by: 'bob', how: 'pushed', at: expect.any(String) },
        moved: { from: head, to: run.state.head },
      },
    });
  });

  test('is refused while nothing was asked, too', () => {
    expect(early(interrupted(), '/retry', 2).refusal).toEqual({ why: 'written_before', command: 'retry' });
  });

  test('names the interrupt that its block was made for', () => {
    const run = interrupted();
    const named = (number: number) => `interrupt: interrupt:7:${number}`;
    const ended = openInteraction(run.state)?.id.split(':')[2];
    writes(run.says(bob, '/retry').agent.fails(), ada, block('retry', named(Number(ended)), 'title: x'));
    const end = { by: 'bob', how: 'retried', at: expect.any(String) };
    expect(run.refusal).toEqual({ why: 'written_before', command: 'retry', names: true, happened: end });
    writes(run, ada, block('spawn', named(1), 'description: x'));
    expect(run.refusal).toEqual({ why: 'other_interrupt', command: 'spawn', named: 'interrupt:7:1' });
    const now = openInteraction(run.state)?.id ?? '';
    writes(run, ada, block('spawn', `interrupt: ${now}`, 'description: x'));
    expect(run.state.standing).toMatchObject({ spawning: { by: ada } });
  });

  test('counts if it is from the same second', () => {
    expect(early(interrupted(), '/retry', 1).phase).toBe('queued');
  });
});
