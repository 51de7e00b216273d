import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isKeyId, newSealKey, parseSealKeys, SealKeyError, secretsOf } from '../../src/seal/seal-keys.ts';
import { openSeals, type Sealed } from '../../src/seal/seals.ts';

const secret = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const [one, two] = [`one:${secret(1)}`, `two:${secret(2)}`];
const sealsWith = (setting: string) => openSeals(parseSealKeys(setting));
const ledger = (...parts: string[]): Sealed => ({ label: 'ledger', parts });

describe('the setting of the keys', () => {
  test('seals with the first and reads all', () => {
    const keys = parseSealKeys(` ${one} , ${two},-old:${secret(3)},!gone`);
    expect(keys.current.id).toBe('one');
    expect(keys.known.map(({ id, use }) => [id, use])).toEqual([
      ['one', 'all'],
      ['two', 'all'],
      ['old', 'retired'],
    ]);
    expect(keys.lost).toEqual(['gone']);
    expect(secretsOf(keys)).toEqual([secret(1), secret(2), secret(3)]);
  });

  test.each([
    ['nothing', '', /entry 1 is not a key: expected `id:base64`/],
    ['no id', secret(1), /entry 1 is not a key/],
    ['a short key', `one:${Buffer.alloc(16).toString('base64')}`, /the key one has 16 bytes, expected 32/],
    ['a key twice', `${one},${one}`, /the key one is given twice/],
    ['an empty entry', `${one},`, /entry 2 is not a key/],
    ['only a retired key', `-${one}`, /the first key must be one to seal with/],
    ['a lost key first', `!old,${one}`, /the first key must be one to seal with/],
    ['a lost key with its secret', `${one},!${two}`, /entry 2 is not a key/],
    ['an id with a blank', `o ne:${secret(1)}`, /entry 1 is not a key/],
  ])('is refused with %s', (_, setting, message) => {
    expect(() => parseSealKeys(setting)).toThrow(SealKeyError);
    expect(() => parseSealKeys(setting)).toThrow(message);
  });

  test('never appears in the message that refuses it', () => {
    fc.assert(
      fc.property(fc.constantFrom(`x${secret(9)}`, `one:${secret(9)}x`, `!a:${secret(9)}`), (setting) => {
        expect(() => parseSealKeys(setting)).toThrow(
          expect.objectContaining({ message: expect.not.stringContaining(secret(9)) }),
        );
      }),
    );
  });

  test('a key that was mistyped is told from what somebody else sealed', () => {
    const [id, base64 = ''] = newSealKey().split(':');
    const typo = `${id}:${base64.startsWith('A') ? 'B' : 'A'}${base64.slice(1)}`;
    const message = `the key ${id} does not match its id: it was mistyped`;
    for (const setting of [typo, `${one},-${typo}`]) {
      expect(() => parseSealKeys(setting)).toThrow(new SealKeyError(message));
    }
    expect(parseSealKeys(`${one},!${id}`).lost).toEqual([id]);
  });

  test.each([`xk${'0'.repeat(8)}`, `k${'0'.repeat(9)}`])(
    'takes %s, which only resembles a derived id',
    (id) => {
      expect(parseSealKeys(`${id}:${secret(1)}`).current.id).toBe(id);
    },
  );

  test('knows what an id can be', () => {
    const ids = ['one', 'k1.2_3', 'a'.repeat(32), 'a'.repeat(33), '.one', 'o ne', 'one:two', ''];
    expect(ids.filter(isKeyId)).toEqual(['one', 'k1.2_3', 'a'.repeat(32)]);
  });

  test.each([
    ['COXSWAIN_LEDGER_KEY', ''],
    ['COXSWAIN_LEDGER_KEY', ' '],
    ['COXSWAIN_SESSION_KEY', ''],
  ])('says what a whole line of %s is, pasted%s as its value', (name, blank) => {
    const pasted = `${blank}${name}=${blank}${one}`;
    const message = `the value itself begins with ${name}=: give only what follows it`;
    expect(() => parseSealKeys(pasted)).toThrow(new SealKeyError(message));
  });

  test('a new key is different each time and can be read', () => {
    const [first, second] = [newSealKey(), newSealKey()];
    expect(first).not.toBe(second);
    expect(parseSealKeys(`${first},${second}`).known).toHaveLength(2);
  });
});

describe('a seal', () => {
  const sealed = ledger('1', '7', 'open');

  test('is sound for what was sealed, and names its key', () => {
    const seals = sealsWith(one);
    expect(seals.current).toBe('one');
    expect(seals.check(sealed, seals.seal(sealed))).toEqual({ seal: 'sound', key: 'one' });
  });

  test('is the same in every version, so that what was sealed once stays so', () => {
    expect(sealsWith(one).seal(sealed)).toBe('v1 one BONynXHpFPEO9zIJnea8CJe_I8XkeP6fQDnnJdiQUMo');
  });

  test('counts for nothing else', () => {
    const text = fc.string({ unit: 'binary', maxLength: 8 });
    const anything = fc.record({
      label: fc.constantFrom('ledger', 'block', 'claim' as const),
      parts: fc.array(text, { maxLength: 4 }),
    });
    const seals = sealsWith(one);
    fc.assert(
      fc.property(anything, anything, (a, b) => {
        const isSame = JSON.stringify([a.label, a.parts]) === JSON.stringify([b.label, b.parts]);
        expect(seals.check(b, seals.seal(a)).seal).toBe(isSame ? 'sound' : 'forged');
      }),
    );
  });

  test('does not count when texts move between parts', () => {
    const seals = sealsWith(one);
    const seal = seals.seal(ledger('ab', 'c'));
    for (const parts of [['a', 'bc'], ['abc'], ['ab', 'c', ''], ['ab","c']]) {
      expect(seals.check(ledger(...parts), seal).seal).toBe('forged');
    }
  });

  test.each([
    ['missing', () => undefined],
    ['forged', () => 'v1 one '],
    ['forged', () => `v1 one ${'A'.repeat(43)}`],
    ['forged', () => `${sealsWith(one).seal(sealed)} more`],
    ['forged', () => sealsWith(`one:${secret(9)}`).seal(sealed)],
    ['unknown', () => sealsWith(two).seal(sealed)],
    ['unknown', () => 'v2 one x'],
    ['unknown', () => ''],
  ])('is %s: %s', (expected, seal) => {
    expect(sealsWith(one).check(sealed, seal()).seal).toBe(expected);
  });

  test('without a key, or in another format, names what it has in place of one', () => {
    expect(sealsWith(one).check(sealed, '')).toEqual({ seal: 'unknown', key: '' });
    expect(sealsWith(one).check(sealed, 'v1')).toEqual({ seal: 'unknown', key: '' });
    expect(sealsWith(one).check(sealed, 'v1 one')).toEqual({ seal: 'forged' });
  });

  test('of a second key is sound, of a retired one only for what has ended, of a lost one never', () => {
    const seal = sealsWith(two).seal(sealed);
    const ended = { ...sealed, ended: true };
    expect(sealsWith(`${one},${two}`).check(sealed, seal)).toEqual({ seal: 'sound', key: 'two' });
    expect(sealsWith(`${one},-${two}`).check(ended, seal).seal).toBe('sound');
    expect(sealsWith(`${one},-${two}`).check(sealed, seal)).toEqual({ seal: 'retired', key: 'two' });
    const wrong = sealsWith(`two:${secret(9)}`).seal(sealed);
    expect(sealsWith(`${one},-${two}`).check(sealed, wrong).seal).toBe('forged');
    expect(sealsWith(`${one},!two`).check(ended, seal)).toEqual({ seal: 'lost', key: 'two' });
  });
});
