import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { minimalConfig } from '../../src/config/schema.ts';
import { areMet, needsUnder } from '../../src/steering/approval/approval-needs.ts';
import type { Owned } from '../../src/steering/shapes/approval-authority.ts';
import type { Person, Role } from '../../src/steering/shapes/people.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';

function settingsWith(approval: string): Settings {
  const where = { path: '.github/coxswain.yml', ref: 'main' };
  const reading = readConfig(`${minimalConfig()}approval: ${approval}\n`, where);
  if (reading.outcome === 'misconfigured') throw new Error(reading.problems[0]?.expected);
  return reading.settings;
}

const people = (['triage', 'write', 'maintain'] as const).flatMap((role: Role, rank): Person[] =>
  [[], ['acme/core']].map((teams, at) => {
    const id = rank * 10 + at + 1;
    return { login: id === 11 ? 'ada' : `p${id}`, id, role, bot: false, teams };
  }),
);

function owned(...owners: readonly string[]): Owned {
  return { owners, files: ['a'], count: 1 };
}

const ownings: readonly (readonly Owned[])[] = [
  [],
  [owned()],
  [owned('@ada')],
  [owned('@ada'), owned()],
  [owned('@acme/core'), owned('@p21')],
];

const entries = ['write', 'maintain', '"@ada"', '"@acme/core"', 'codeowners'];

/** Every list of two different entries, and of one. */
const lists = entries.flatMap((one, at) => [[one], ...entries.slice(at + 1).map((other) => [one, other])]);

test('whomever a task names, nobody approves who could not without it', () => {
  let accepted = 0;
  for (const now of lists) {
    const own = settingsWith(`{ by: [${now.join(', ')}] }`);
    for (const wanted of lists) {
      const by = wanted.map((entry) => entry.replaceAll('"', ''));
      const { settings, problems } = withOverrides(own, { approval: { by } });
      if (problems.length > 0) continue;
      accepted += 1;
      for (const owning of ownings) {
        const authority = { owned: owning, protected: [] };
        for (let set = 0; set < 2 ** people.length; set++) {
          const chosen = people.filter((_, bit) => (set & (2 ** bit)) !== 0);
          const isMet = ({ approval }: Settings) => areMet(needsUnder({ approval, authority }, chosen));
          if (isMet(settings) && !isMet(own)) expect({ now, wanted, owning, chosen }).toBe('not looser');
        }
      }
    }
  }
  // Each list narrows itself, and some narrow others.
  expect(accepted).toBeGreaterThan(lists.length);
});

test('a task protects more files, and drops none that the repository protects', () => {
  const own = settingsWith('{ protected_paths: [{ paths: infra/, by: [maintain] }] }');
  const more = [{ paths: 'docs/', by: ['@ada'] }];
  const { settings, problems } = withOverrides(own, { approval: { protected_paths: more } });
  expect(problems).toEqual([]);
  expect(settings.approval.protected_paths).toEqual([
    { paths: ['infra/'], by: [{ role: 'maintain' }] },
    { paths: ['docs/'], by: [{ login: 'ada' }] },
  ]);
});
