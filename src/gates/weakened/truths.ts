import type { Assertion } from './assertion.ts';

/** `toBe(true)` and `toBeTruthy()`, `== nil` and `assertNil`: the same written in another way. */
export function sameTruth(old: Assertion, next: Assertion): boolean {
  if (old.verb === 'holds' && next.verb === 'holds' && old.subject !== next.subject) return false;
  const [before, after] = [truthOf(old), truthOf(next)];
  return before !== undefined && before === after;
}

function truthOf({ expected, verb, negated }: Assertion): string | undefined {
  const stated = `${verb.replace(/^(?:to)?(?:be|Be)_?|^is(?=[A-Z])|^Is/, '')}`.toLowerCase();
  const value = /^(?:true|false|null|nil|none|undefined|empty|truthy|falsy)$/.test(stated)
    ? stated
    : expected.toLowerCase();
  const plain = value
    .replace('truthy', 'true')
    .replace('falsy', 'false')
    .replace(/^an?empty\w*(?:\(\))?$/, 'empty')
    .replace(/^(?:nil|none|undefined)$/, 'null');
  if (!/^(?:true|false|null|empty)$/.test(plain)) return undefined;
  if (/^(?:true|false)$/.test(plain)) {
    const flips = negated && /not|^(?:be|toBe|eq|equal)$/i.test(verb) && expected === 'true';
    return flips ? 'false' : plain;
  }
  return negated || /not|!=/i.test(verb) ? `not ${plain}` : plain;
}

/** A stronger assertion that states something else of the same thing: `toBeTruthy()` and now `toBe(null)`. */
export function isContradicted(old: Assertion, next: Assertion): boolean {
  const before = truthOf(old);
  const after = truthOf(next);
  if (before === 'true' && after !== undefined) return after === 'false' || after === 'null';
  return before === 'not null' && after === 'null';
}
