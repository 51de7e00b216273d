import { describe, expect, test } from 'vitest';
import {
  disturbancesOf,
  disturbancesOfTwo,
  readChoice,
  revocationsOf,
  shuffled,
  upheavalsOf,
} from './choice.ts';
import { disturbanceNamed, nameOf } from './fault.ts';

const routes = ['GET pulls', 'POST pulls', 'POST git-upload-pack', 'POST pulls', 'POST git-receive-pack'];

describe('what is tried', () => {
  const names = disturbancesOf(routes).map(nameOf);

  test('every fault at every write, and at every occurrence of it', () => {
    expect(names).toEqual(
      expect.arrayContaining([
        'kill after POST pulls 2',
        '422 POST pulls 1',
        'drop after POST git-receive-pack 1',
      ]),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  test('a second fault while the App recovers from a kill', () => {
    expect(names).toContain('kill after POST pulls 1, then 500 any 5');
  });

  test('the tokens end after a request was repeated, where they can be renewed', () => {
    expect(revocationsOf(routes).map(nameOf)).toContain('502 after POST pulls 1, then revoked any 1');
    expect(names.filter((name) => name.includes('revoked'))).toEqual([]);
  });

  test('what happens to the machine of the App happens at every write, and to no job', () => {
    const upheavals = upheavalsOf(routes).map(nameOf);
    expect(upheavals).toEqual(
      expect.arrayContaining(['kill torn POST git-receive-pack 1', 'frozen POST pulls 2']),
    );
    expect(names.filter((name) => /torn|frozen|clock/.test(name))).toEqual([]);
  });

  test('a read is not lost after it was answered', () => {
    expect(names).toContain('drop before GET pulls 1');
    expect(names).not.toContain('drop after GET pulls 1');
    expect(names.filter((name) => name.includes('git-upload-pack') && !name.includes('then'))).toHaveLength(
      3,
    );
  });

  test('only a merge is refused with 405', () => {
    const ofMerge = disturbancesOf([...routes, 'PUT pulls/{n}/merge']).map(nameOf);
    expect(ofMerge.filter((name) => name.startsWith('405'))).toEqual(['405 PUT pulls/{n}/merge 1']);
  });

  test('with two Apps also nothing at all', () => {
    expect(nameOf(disturbancesOfTwo(routes)[0] ?? [])).toBe('nothing');
  });

  test('a name can be read again', () => {
    for (const disturbance of [...disturbancesOf(routes), ...revocationsOf(routes), ...upheavalsOf(routes)])
      expect(disturbanceNamed(nameOf(disturbance))).toEqual(disturbance);
    expect(() => disturbanceNamed('sing GET pulls 1')).toThrow(/not a fault/);
  });
});

describe('the choice', () => {
  test('shards try everything once', () => {
    expect(readChoice({ COXSWAIN_CHAOS_SHARD: '2/8' }).shard).toEqual({ index: 2, of: 8 });
    expect(() => readChoice({ COXSWAIN_CHAOS_SHARD: '9/8' })).toThrow(/expected a shard/);
  });

  test('a wrong number is refused with an example', () => {
    expect(() => readChoice({ COXSWAIN_CHAOS_MINUTES: 'soon' })).toThrow(/COXSWAIN_CHAOS_MINUTES is "soon"/);
  });

  test('the same seed gives the same order of the same elements', () => {
    const all = Array.from({ length: 50 }, (_, index) => index);
    expect(shuffled(all, 7)).toEqual(shuffled(all, 7));
    expect(shuffled(all, 7)).not.toEqual(shuffled(all, 8));
    expect(shuffled(all, 7).toSorted((one, other) => one - other)).toEqual(all);
  });
});
