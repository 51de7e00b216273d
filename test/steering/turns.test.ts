import { describe, expect, test } from 'vitest';
import { type InLine, turnsIn } from '../../src/steering/branch/line-of-runs.ts';
import { dependsOn, hearsOf, isRelinked } from './resolving-story.ts';
import { ada, bob, rea } from './samples.ts';
import { type Story, story } from './story.ts';

const begun = (number: number, replaces?: number): InLine => inLine(number, false, replaces);
const waits = (number: number, replaces?: number): InLine => inLine(number, true, replaces);

function inLine(number: number, isWaiting: boolean, replaces?: number): InLine {
  return { number, waits: isWaiting, ...(replaces !== undefined && { replaces }) };
}

function turns(line: readonly InLine[], most?: number) {
  return Object.fromEntries(turnsIn(line, most));
}

describe('a line of runs', () => {
  test('lets begin as many as have room, in the order of their numbers', () => {
    expect(turns([waits(9), begun(4), waits(7)], 3)).toEqual({ 7: [], 9: [] });
    expect(turns([waits(9), waits(7)])).toEqual({ 7: [], 9: [] });
  });

  test('has the first that waits behind those that are open, and the others behind the one before', () => {
    expect(turns([begun(4), begun(7), begun(9), waits(12), waits(11), waits(15)], 3)).toEqual({
      11: [4, 7, 9],
      12: [11],
      15: [12],
    });
    expect(turns([begun(4), waits(7), waits(9)], 2)).toEqual({ 7: [], 9: [4, 7] });
  });

  test('ends nothing where more are open than may be', () => {
    expect(turns([begun(4), begun(7), waits(9)], 1)).toEqual({ 9: [4, 7] });
  });

  test('has what takes the place of another run in its place', () => {
    expect(turns([begun(4), waits(12), waits(15, 4), waits(16, 4)], 1)).toEqual({
      15: [4],
      16: [15],
      12: [16],
    });
  });

  test('has each come to the same that does not know of those after it', () => {
    const line = [begun(4), waits(7), waits(9), waits(11), waits(12)];
    for (const most of [1, 2, 3, 4, 5])
      for (const { number } of line)
        expect(
          turnsIn(
            line.filter((each) => each.number <= number),
            most,
          ).get(number),
        ).toEqual(turnsIn(line, most).get(number));
  });
});

describe('a run that waits for its turn', () => {
  const started = (on = {}) => story().starts({}, { ...dependsOn(on), behind: [4, 5] });
  const hears = (run: Story, ...behind: readonly number[]) =>
    run.apply({
      ...{ type: 'dependencies_read', base: run.state.run.base, on: [] },
      ...(behind.length > 0 && { behind }),
    });

  test('begins once it is behind no other, with what was merged meanwhile', () => {
    const run = started();
    expect(run.state.standing).toEqual({ phase: 'blocked', on: [], behind: [4, 5] });
    expect(hears(run, 5).state.standing).toEqual({ phase: 'blocked', on: [], behind: [5] });
    expect(run.subject).toBe('Wait behind #5');
    const { seq } = run.state;
    expect(hears(run, 5).state.seq).toBe(seq);
    expect(hears(run).state).toMatchObject({ standing: { phase: 'queued' }, merges_base: true });
    expect(run.subject).toBe('Begin: its turn has come');
  });

  test('is begun by anybody who may begin a run', () => {
    expect(started().says(rea, '/resume').refusal?.why).toBe('not_permitted');
    expect(started().says(ada, '/resume').phase).toBe('queued');
  });

  test('waits on when somebody tries it again, and takes what they write of it', () => {
    expect(started().says(ada, '/retry').state.standing).toMatchObject({ behind: [4, 5] });
    const run = started().says(bob, '/steer and quickly');
    expect(hears(run).works().state).toMatchObject({ iteration: 1, queue: [] });
  });

  test('is in no line while something is not merged that it depends on', () => {
    const run = started({ 3: 'open' });
    expect(run.state.standing).toEqual({ phase: 'blocked', ...dependsOn({ 3: 'open' }) });
    run.apply({ type: 'dependencies_read', ...dependsOn({ 3: 'ready' }), behind: [4] });
    expect(run.state.standing).toEqual({ phase: 'blocked', ...dependsOn({ 3: 'ready' }), behind: [4] });
    expect(run.says(ada, '/retry').state.standing).toMatchObject({ behind: [4] });
    expect(isRelinked(run, [3], [8]).state.standing).toEqual({
      phase: 'blocked',
      ...dependsOn({ 8: 'open' }),
    });
    const other = started({ 3: 'ready' }).retargets(bob, 'release');
    expect(other.state.standing).toEqual({ phase: 'blocked', ...dependsOn({ 3: 'merged' }) });
    expect(hearsOf(other, { 3: 'ready' }).phase).toBe('queued');
  });

  test('goes on at once for whoever lets it go on after it had stopped', () => {
    const run = started().deletesBranch(bob).says(ada, '/resume');
    expect(run.state).toMatchObject({ standing: { phase: 'queued' }, merges_base: true });
  });
});
