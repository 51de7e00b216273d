import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { saidThrough, sealedText, soundMark, textIn } from '../../src/github/marks.ts';
import { newSealKey, parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSeals } from '../../src/seal/seals.ts';

const seals = openSeals(parseSealKeys(newSealKey()));
const there = { repository_id: 4711, number: 7, user_id: 1 };
const at = '2026-11-21T12:00:00.123Z';
const said = { at, door: 'page' } as const;
const own = { login: 'coxswain[bot]', app: { id: 9 }, seals };
const ours = { id: 9, slug: 'coxswain' };
const helper = { id: 5, slug: 'helper' };

const sealed = sealedText('/approve abc1234', there, said, seals);
const byApi = sealedText('/approve abc1234', there, { at, door: 'api' }, seals);
const posted = { ...there, body: sealed, created_at: '2026-11-21T12:00:01Z' };

test('the seal of a door is in front of the command, which is found as without it', () => {
  expect(parseCommand(sealed)).toEqual({ type: 'approve', sha: 'abc1234', despite: [] });
  expect(textIn(sealed)).toBe('/approve abc1234');
  expect(soundMark(posted, seals)).toEqual(said);
});

test('no text becomes a command or another one by the seal, and nothing of it is in the text', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('/approve', '<!-- x', '/steer a\n-->'),
  );
  fc.assert(
    fc.property(texts, fc.string({ unit: 'binary' }), (text, key) => {
      const body = sealedText(text, there, { ...said, key }, seals);
      expect(textIn(body)).toBe(text);
      expect(parseCommand(body)).toEqual(parseCommand(`\n\n${text}`));
      expect(soundMark({ ...posted, body }, seals)).toEqual({ ...said, key });
    }),
  );
});

test('what GitHub does to blanks and line ends does no harm', () => {
  const body = sealedText('/steer one\n\ntwo\n', there, said, seals);
  const changed = body.trimEnd().replaceAll('\n', '\r\n');
  expect(soundMark({ ...posted, body: changed }, seals)).toEqual(said);
});

describe('a seal is not sound', () => {
  const otherKey = openSeals(parseSealKeys(newSealKey()));
  test.each([
    ['on another pull request', { number: 8 }],
    ['in another repository', { repository_id: 4712 }],
    ['of another author', { user_id: 2 }],
    ['later', { created_at: '2026-11-21T12:06:00Z' }],
    ['earlier', { created_at: '2026-11-21T11:54:00Z' }],
    ['before another text', { body: sealed.replace('approve', 'reject') }],
    ['before more text', { body: `${sealed}\n/steer more` }],
    ['with another door', { body: sealed.replace('page', 'api') }],
    ['with another time', { body: sealed.replace('.123Z', '.124Z') }],
    ['with a key that was added', { body: sealed.replace('{', '{"key":"k",') }],
    ['behind other text', { body: `Look:\n${sealed}` }],
    ['where it cannot be read', { body: sealed.replace('{', '[') }],
    ['without a seal', { body: sealed.replace(/"seal":"[^"]*"/, '"seal":""') }],
    ['by another key', { body: sealedText('/approve abc1234', there, said, otherKey) }],
  ])('%s', (_, changed) => {
    expect(soundMark({ ...posted, ...changed }, seals)).toBeUndefined();
    const through = { ...posted, via_app: ours, ...changed };
    expect(saidThrough(through, own)).toEqual({ via_app: 'coxswain' });
  });
});

describe('a comment was said through', () => {
  const plain = { ...posted, body: '/approve' };
  test.each([
    ['nothing', plain, null, {}],
    ['our App, without a seal', plain, ours, { via_app: 'coxswain' }],
    ['another App', plain, helper, { via_app: 'helper' }],
    ['a door with a token of the person', posted, null, { door: 'page' }],
    ['a door with a token of our App', posted, ours, { door: 'page' }],
    ['the API with a token of the person', { ...posted, body: byApi }, null, { door: 'api' }],
    ['the API with a token of our App', { ...posted, body: byApi }, ours, { via_app: 'coxswain' }],
    ['a door with a token of another App', posted, helper, { via_app: 'helper' }],
  ])('%s', (_, body, via_app, through) => {
    expect(saidThrough({ ...body, via_app }, own)).toEqual(through);
  });

  test('no door where there is no key to check it with, as in the Action', () => {
    const action = { login: 'github-actions[bot]', app: { slug: 'github-actions' } };
    expect(saidThrough({ ...posted, via_app: ours }, action)).toEqual({ via_app: 'coxswain' });
    expect(saidThrough({ ...posted, via_app: null }, action)).toEqual({});
  });
});
