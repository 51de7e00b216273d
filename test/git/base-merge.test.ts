import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { onlyMergesBase } from '../../src/git/merges.ts';
import { type WorkCopy, workCopy } from './work-copy.ts';

let work: WorkCopy;
let before: string;
let newBase: string;

const lines = 'one\ntwo\nthree\nfour\nfive\nsix\n';

beforeEach(async () => {
  work = await workCopy();
  await work.commit({ a: lines });
  await work.git('branch', '-m', 'main');
  await work.git('checkout', '--quiet', '-b', 'topic');
  before = await work.commit({ a: lines.replace('one', 'ONE') });
  await work.git('checkout', '--quiet', 'main');
  newBase = await work.commit({ a: lines.replace('six', 'SIX'), b: 'new\n' });
  await work.git('checkout', '--quiet', 'topic');
});

afterEach(() => work.remove());

async function judge(after: string, from = before): Promise<boolean> {
  return onlyMergesBase(work.gitDir, { before: from, after, base: 'refs/heads/main' });
}

async function merge(...args: readonly string[]): Promise<string> {
  await work.git('merge', '--quiet', '--no-ff', '-m', 'Merge', ...args);
  return work.git('rev-parse', 'HEAD');
}

describe('a commit brings a branch up to date', () => {
  test('if it is the merge of the base that Git itself makes', async () => {
    expect(await judge(await merge('main'))).toBe(true);
  });

  test('if the merged commit of the base is no longer the newest', async () => {
    const after = await merge('main');
    await work.git('checkout', '--quiet', 'main');
    await work.commit({ c: 'newer\n' });
    expect(await judge(after)).toBe(true);
  });
});

describe('a commit is somebody’s own', () => {
  test('if the merge changes one byte more', async () => {
    await merge('main');
    await work.write({ b: 'New\n' });
    await work.git('commit', '--quiet', '--all', '--amend', '--no-edit');
    expect(await judge(await work.git('rev-parse', 'HEAD'))).toBe(false);
  });

  test('if there was a conflict to resolve', async () => {
    const conflicting = await work.commit({ a: lines.replace('six', 'Six') });
    await work.git('merge', '--quiet', '-m', 'Merge', '-X', 'ours', 'main');
    expect(await judge(await work.git('rev-parse', 'HEAD'), conflicting)).toBe(false);
  });

  test('if something else than the base was merged', async () => {
    await work.git('checkout', '--quiet', '-b', 'evil', 'main');
    await work.commit({ evil: 'x\n' });
    await work.git('checkout', '--quiet', 'topic');
    expect(await judge(await merge('evil'))).toBe(false);
  });

  test('if it was not merged into the head before it', async () => {
    await work.commit({ evil: 'x\n' });
    expect(await judge(await merge('main'))).toBe(false);
  });

  test('if the branch was merged into the base, or three were merged', async () => {
    await work.git('checkout', '--quiet', '-b', 'third', 'main');
    await work.commit({ third: 'x\n' });
    await work.git('checkout', '--quiet', '-b', 'turned', newBase);
    const turned = await merge('topic');
    expect(await judge(turned)).toBe(false);
    await work.git('checkout', '--quiet', 'topic');
    expect(await judge(await merge('main', 'third'))).toBe(false);
  });

  test('if it is no merge, or does not exist', async () => {
    expect(await judge(await work.commit({ a: 'mine\n' }))).toBe(false);
    expect(await judge('f'.repeat(40))).toBe(false);
  });
});
