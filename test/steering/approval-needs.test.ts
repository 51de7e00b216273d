import { describe, expect, test } from 'vitest';
import {
  areMet,
  isAdmitted,
  missing,
  needsUnder,
  needText,
  type Rules,
  teamsIn,
} from '../../src/steering/approval/approval-needs.ts';
import type { Authority, Owned } from '../../src/steering/shapes/approval-authority.ts';
import type { Person, Role } from '../../src/steering/shapes/people.ts';
import type { Approver } from '../../src/steering/shapes/settings.ts';

function person(login: string, role: Role = 'write', teams: readonly string[] = []): Person {
  return { login, id: login.length * 100 + login.charCodeAt(0), role, bot: false, teams };
}

const ada = person('ada');
const bob = person('bob');
const mia = person('mia', 'maintain');
const platform = person('pat', 'write', ['Acme/Platform']);
const reader = person('rita', 'read');

const codeowners: Approver = { codeowners: true };

function owned(owners: readonly string[], ...files: readonly string[]): Owned {
  return { owners, files, count: files.length };
}

function rules(by: readonly Approver[], authority: Partial<Authority> = {}, required = 1): Rules {
  return { approval: { by, required }, authority: { owned: [], protected: [], ...authority } };
}

function left(given: Rules, ...people: readonly Person[]): readonly string[] {
  return missing(needsUnder(given, people)).map(needText);
}

const infra = {
  protected: [{ paths: ['infra/**'], by: [{ team: 'acme/platform' }], files: ['infra/a.tf'], count: 1 }],
} as const;

describe('what an approval needs', () => {
  test('is the number of people in general', () => {
    const two = rules([{ role: 'write' }], {}, 2);
    expect(left(two)).toEqual(['2 more by write']);
    expect(left(two, ada)).toEqual(['1 more by write']);
    expect(left(two, ada, { ...ada, login: 'renamed' })).toEqual(['1 more by write']);
    expect(left(two, ada, bob)).toEqual([]);
  });

  test('is one person more for each entry of protected paths, who also counts in general', () => {
    const two = rules([{ role: 'write' }], infra, 2);
    expect(left(two, ada)).toEqual(['1 more by write', 'infra/** needs @acme/platform']);
    expect(left(two, ada, bob)).toEqual(['infra/** needs @acme/platform']);
    expect(left(two, ada, platform)).toEqual([]);
  });

  test('admits whoever protects a path, though in general they would not count', () => {
    const strict = rules([{ role: 'maintain' }], infra);
    expect(isAdmitted(strict, platform)).toBe(true);
    expect(isAdmitted(strict, ada)).toBe(false);
    expect(left(strict, platform)).toEqual(['1 more by maintain']);
    expect(left(strict, platform, mia)).toEqual([]);
  });

  test('is one owner of each group of files', () => {
    const given = rules([codeowners], {
      owned: [owned(['@ada', '@acme/platform'], 'a.ts'), owned(['@bob'], 'b.ts', 'c.ts')],
    });
    expect(left(given, mia)).toEqual(['a.ts needs @ada or @acme/platform', 'b.ts, c.ts need @bob']);
    expect(left(given, ada)).toEqual(['b.ts, c.ts need @bob']);
    expect(left(given, platform, bob)).toEqual([]);
  });

  test('counts owners only if they may write', () => {
    const given = rules([codeowners, { role: 'maintain' }], { owned: [owned(['@rita'], 'a.ts')] });
    expect(isAdmitted(given, reader)).toBe(false);
    expect(left(given, reader)).toEqual(['1 more by maintain or @rita', 'a.ts needs @rita']);
    expect(left(given, { ...reader, role: 'write' })).toEqual([]);
  });

  test('falls back to people with write for files that nobody owns, if nobody else is named', () => {
    const given = rules([codeowners], { owned: [owned(['@ada'], 'a.ts'), owned([], 'b.ts')] });
    expect(left(given, bob)).toEqual(['a.ts needs @ada']);
    expect(left(given, ada)).toEqual([]);
  });

  test('is, for files that nobody owns, what the others in the list say', () => {
    const given = rules([codeowners, { role: 'maintain' }], {
      owned: [owned(['@ada'], 'a.ts'), owned([], 'b.ts')],
    });
    expect(left(given, ada)).toEqual(['1 more by maintain']);
    expect(left(given, ada, mia)).toEqual([]);
    const whole = rules([codeowners, { role: 'maintain' }], { owned: [owned(['@ada'], 'a.ts')] });
    expect(left(whole, ada)).toEqual([]);
  });

  test('cannot be met by an owner who is only an e-mail address', () => {
    const given = rules([codeowners], { owned: [owned(['ada@example.org'], 'a.ts')] });
    expect(left(given, ada, mia)).toEqual(['a.ts needs a code owner whose account CODEOWNERS does not name']);
  });

  test('ignores owners where the configuration does not ask for them', () => {
    const given = rules([{ role: 'write' }], { owned: [owned(['@ada'], 'a.ts')] });
    expect(left(given, bob)).toEqual([]);
    expect(teamsIn(given)).toEqual([]);
  });

  test('never counts bots, nor people without access whom it names', () => {
    expect(isAdmitted(rules([{ role: 'triage' }]), { ...mia, bot: true })).toBe(false);
    expect(isAdmitted(rules([{ login: 'ada' }]), { ...ada, role: 'none' })).toBe(false);
    expect(isAdmitted(rules([{ team: 'acme/platform' }]), { ...platform, role: 'none' })).toBe(false);
  });

  test('names each team once, of all needs', () => {
    const given = rules([codeowners, { team: 'acme/core' }], {
      ...infra,
      owned: [owned(['@Acme/Platform', '@acme/web'], 'a.ts')],
    });
    expect(teamsIn(given)).toEqual(['acme/core', 'Acme/Platform', 'acme/web']);
  });
});

/** Every rule of a small world, with every group of people: what is met stays met with one more. */
test('more approvals never lack more, and nothing is met by nobody', () => {
  const people = [ada, bob, mia, platform, reader];
  const lists: readonly (readonly Approver[])[] = [
    [{ role: 'write' }],
    [{ role: 'maintain' }],
    [codeowners],
    [codeowners, { role: 'maintain' }],
    [{ login: 'ada' }, { team: 'acme/platform' }],
  ];
  const groups = [[], [owned([], 'x')], [owned(['@ada'], 'a')], [owned(['@ada'], 'a'), owned([], 'x')]];
  for (const by of lists) {
    for (const owns of groups) {
      for (const of of [[], infra.protected]) {
        for (const required of [1, 2, 3]) {
          const given = rules(by, { owned: owns, protected: of }, required);
          for (let set = 0; set < 2 ** people.length; set++) {
            const chosen = people.filter((_, bit) => (set & (2 ** bit)) !== 0);
            const needs = needsUnder(given, chosen);
            if (areMet(needs)) expect(chosen.length).toBeGreaterThanOrEqual(required);
            for (const one of people) {
              const more = needsUnder(given, [...chosen, one]);
              for (const [at, need] of more.entries())
                expect(need.missing).toBeLessThanOrEqual(needs[at]?.missing ?? -1);
              if (!isAdmitted(given, one)) expect(more).toEqual(needs);
            }
          }
        }
      }
    }
  }
});
