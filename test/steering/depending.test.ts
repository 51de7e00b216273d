import { describe, expect, test } from 'vitest';
import { cycleIn } from '../../src/steering/shapes/task.ts';
import { runIn } from './phases.ts';
import { dependsOn, hearsOf, isRelinked, mergesBase } from './resolving-story.ts';
import { ada, bob, mia, sha } from './samples.ts';
import { type Story, story } from './story.ts';

const stoppedBy = (...events: readonly ((run: Story) => Story)[]) =>
  events.reduce((run, event) => event(run), runIn.blocked());

describe('a run that depends on others', () => {
  test('begins when everything is merged, with the base merged into its branch first', () => {
    const run = story().starts({}, dependsOn({ 3: 'open', 4: 'ready' }));
    expect(run.phase).toBe('blocked');
    expect(hearsOf(run, { 3: 'merged', 4: 'ready' }).phase).toBe('blocked');
    expect(hearsOf(run, { 3: 'ready', 4: 'ready' }).engine.takes().phase).toBe('working');
    mergesBase(run);
    expect(run.tookCode).toBe(true);
    expect(run.state).toMatchObject({ head: sha(1), run: { head: sha(1) }, report: null });
    expect(run.state).not.toHaveProperty('merges_base');
    expect(run.works().phase).toBe('awaiting_approval');
  });

  test('begins at once if everything is merged already', () => {
    expect(story().starts({}, dependsOn({ 3: 'ready' })).phase).toBe('queued');
  });

  test('has nothing to approve if its agent changes nothing: the base is not its work', () => {
    const run = hearsOf(runIn.blocked(), { 3: 'ready' }).engine.takes();
    mergesBase(run).agent.finishes({ changesNothing: true });
    expect(run.state.standing).toMatchObject({ interrupt: { type: 'nothing_changed' } });
  });

  test('does not know who has worked on it if what it merged was another base', () => {
    const begun = () => hearsOf(runIn.blocked(), { 3: 'ready' }).engine.takes();
    expect(mergesBase(begun()).state.people_unknown).toBeUndefined();
    const run = begun();
    mergesBase(run, run.newCommit(), 'other');
    expect(run.state).toMatchObject({ run: { base: 'main' }, people_unknown: true });
  });

  test('knows its own merge of the base when it hears of that late', () => {
    const run = hearsOf(runIn.blocked(), { 3: 'ready' }).engine.takes();
    const before = run.state.head;
    mergesBase(run).works();
    const { head } = run.state;
    run.pushes(bob, { before, head: sha(1) });
    expect(run.state.head).toBe(head);
  });

  test('does not begin for what another base holds than the one it has by now', () => {
    const run = runIn.blocked().retargets(bob, 'release');
    const ready = { type: 'dependencies_read', ...dependsOn({ 3: 'ready' }) } as const;
    expect(run.apply({ ...ready, base: 'main' }).phase).toBe('blocked');
    expect(run.apply({ ...ready, base: 'release' }).phase).toBe('queued');
  });

  test('is told once of what will not be merged, and stays blocked', () => {
    const run = hearsOf(hearsOf(runIn.blocked(), { 3: 'closed' }), { 3: 'closed' });
    expect(run.replies).toEqual([{ say: 'dependency_closed', numbers: [3] }]);
    expect(run.phase).toBe('blocked');
  });

  test('begins all the same for somebody who maintains the repository', () => {
    expect(runIn.blocked().says(ada, '/resume').refusal?.why).toBe('not_permitted');
    const run = runIn.blocked().says(mia, '/resume');
    expect(run.state).toMatchObject({ standing: { phase: 'queued', work: 'attempt' }, merges_base: true });
  });

  test('depends on what takes the place of another task', () => {
    const run = isRelinked(story().starts({}, dependsOn({ 3: 'open', 4: 'ready' })), [3], [8, 9]);
    expect(run.state.standing).toEqual({
      phase: 'blocked',
      on: [
        { number: 4, is: 'ready' },
        { number: 8, is: 'open' },
        { number: 9, is: 'open' },
      ],
    });
    expect(run.state.task.depends_on).toEqual(['#4', '#8', '#9']);
    expect(isRelinked(run, [3], [8]).subject).toBe('Depend on #8, #9 instead of #3');
  });

  test.each<[string, (run: Story) => Story, (run: Story) => Story]>([
    ['its branch was deleted', (run) => run.deletesBranch(bob), (run) => run.says(ada, '/resume')],
    ['Coxswain failed', (run) => run.engine.breaks(), (run) => run.says(ada, '/retry')],
    ['it was closed', (run) => run.closes(bob).reopens(bob), (run) => run.says(ada, '/resume')],
    ['it was cancelled', (run) => run.says(bob, '/cancel').reopens(bob), (run) => run.says(ada, '/resume')],
  ])('still waits after %s, for what has taken the place of that meanwhile', (_, stops, goesOn) => {
    expect(stoppedBy(stops, goesOn).state.standing).toEqual({
      phase: 'blocked',
      ...dependsOn({ 3: 'open' }),
    });
    const run = stoppedBy(stops, (each) => isRelinked(each, [3], [8]), goesOn);
    expect(run.state.standing).toEqual({ phase: 'blocked', ...dependsOn({ 8: 'open' }) });
    expect(run.state).not.toHaveProperty('waits_for');
    expect(hearsOf(run, { 8: 'ready' }).phase).toBe('queued');
  });

  test('hears nothing of the base that it had before, and is to be in another one', () => {
    const run = story()
      .starts({}, dependsOn({ 3: 'ready', 4: 'open' }))
      .retargets(bob, 'release');
    const on = [
      { number: 3, is: 'merged' },
      { number: 4, is: 'open' },
    ];
    expect(run.state.standing).toEqual({ phase: 'blocked', on });
    run.apply({ type: 'dependencies_read', base: 'main', ...dependsOn({ 3: 'ready', 4: 'ready' }) });
    expect(run.state.standing).toEqual({ phase: 'blocked', on });
    expect(hearsOf(run, { 3: 'ready', 4: 'ready' }).phase).toBe('queued');
    const stopped = story()
      .starts({}, dependsOn({ 3: 'ready', 4: 'open' }))
      .deletesBranch(bob);
    expect(stopped.retargets(bob, 'release').state.waits_for).toEqual(on);
  });

  test('has its steers after its first iteration', () => {
    const run = runIn.blocked().says(ada, '/steer and quickly');
    expect(run.state.queue).toHaveLength(1);
    hearsOf(run, { 3: 'ready' }).works();
    expect(run.state).toMatchObject({ iteration: 1, queue: [] });
  });
});

describe('a cycle', () => {
  test.each([
    ['of one', { a: ['a'] }, ['a', 'a']],
    ['of two', { a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
    ['of five', { a: ['b'], b: ['c', 'x'], c: ['d'], d: ['e'], e: ['a'] }, ['a', 'b', 'c', 'd', 'e', 'a']],
    ['behind others', { a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
  ])('%s is spelled out', (_, all, cycle) => {
    expect(cycleIn(new Map(Object.entries(all)))).toEqual(cycle);
  });

  test('is not seen where two depend on the same', () => {
    expect(cycleIn(new Map(Object.entries({ a: ['b', 'c'], b: ['d'], c: ['d'] })))).toBeUndefined();
  });
});
