import { describe, expect, test } from 'vitest';
import { RunIndex } from '../../src/doors/lists/run-index.ts';
import type { Repository } from '../../src/repository/repository.ts';
import type { State } from '../../src/steering/state/state.ts';
import { awaiting } from '../github/show/state.ts';
import { story } from '../steering/story.ts';

/** More of a repository is not kept. */
function repository(id: number): Repository {
  const remote = { url: `https://github.com/acme/n${id}.git` };
  return { id, owner: 'acme', name: `n${id}`, remote } as Repository; // what the index reads of it
}

function numbered(state: State, id: number, number: number, updated_at = state.updated_at): State {
  return { ...state, updated_at, run: { ...state.run, id: `acme/n${id}#${number}`, number } };
}

/** Three runs that wait, of two repositories; the later the number, the later it changed. */
function indexOfThree() {
  const index = new RunIndex();
  for (const [id, number] of [
    [1, 1],
    [2, 2],
    [1, 3],
  ] as const)
    index.note(repository(id), numbered(awaiting(), id, number, `2026-01-0${number}T00:00:00Z`));
  return index;
}

const namesIn = (list: readonly { readonly entry: { readonly run: string } }[]) =>
  list.map(({ entry }) => entry.run);

describe('the index of runs', () => {
  test('has the newest first, and the same list until something changes', () => {
    const index = indexOfThree();
    const { version } = index;
    const runs = index.runs();
    expect(namesIn(runs)).toEqual(['acme/n1#3', 'acme/n2#2', 'acme/n1#1']);
    expect(index.runs()).toBe(runs);
    expect(index.version).toBe(version);
    index.note(repository(1), numbered(awaiting(), 1, 1, '2026-01-04T00:00:00Z'));
    expect(index.version).not.toBe(version);
    expect(namesIn(index.runs())).toEqual(['acme/n1#1', 'acme/n1#3', 'acme/n2#2']);
    expect(namesIn(runs)).toEqual(['acme/n1#3', 'acme/n2#2', 'acme/n1#1']);
  });

  test('a run that goes on, or ends, waits no more', () => {
    const index = indexOfThree();
    expect(index.waiting()).toHaveLength(3);
    index.note(repository(2), numbered(story().starts().state, 2, 2));
    expect(namesIn(index.waiting())).toEqual(['acme/n1#1', 'acme/n1#3']);
    expect(index.runs()).toHaveLength(3);
  });

  test('forgets the runs of a repository that is gone, and no others', () => {
    const index = indexOfThree();
    index.runs();
    index.waiting();
    index.forget(1);
    index.forget('acme/n');
    expect(namesIn(index.runs())).toEqual(['acme/n2#2']);
    expect(namesIn(index.waiting())).toEqual(['acme/n2#2']);
    index.forget('Acme/N2');
    expect(index.runs()).toEqual([]);
  });

  test('an entry says what the run has cost so far', () => {
    const index = new RunIndex();
    const [first, ...others] = awaiting().iterations;
    const iterations = first ? [{ ...first, cost: { usd: 1.5 } }, ...others] : [];
    index.note(repository(1), numbered({ ...awaiting(), iterations }, 1, 1));
    expect(index.waiting()[0]?.entry.cost).toEqual({ usd: 1.5 });
  });
});
