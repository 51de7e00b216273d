import { expect, test } from 'vitest';
import { audienceOf } from '../../src/steering/audience.ts';
import type { Person } from '../../src/steering/shapes/people.ts';
import type { State } from '../../src/steering/state/state.ts';
import { askedText } from '../../src/words/index.ts';
import { runIn } from '../steering/phases.ts';
import { bob, mia, rea, secret } from '../steering/samples.ts';
import type { Story } from '../steering/story.ts';

function asked({ state }: { readonly state: State }, reader: Person | null): string {
  const audience = audienceOf(state);
  return audience === undefined ? '' : askedText(audience, reader);
}

const byTeam = (): Story =>
  runIn.awaiting_approval({ approval: { by: [{ team: 'acme/leads' }, { login: 'rea' }] } });

test('a row of the inbox says whom a run waits for, the reader first', () => {
  expect(asked(runIn.awaiting_approval(), null)).toBe('someone with write access');
  expect(asked(runIn.awaiting_approval(), bob)).toBe('you, or someone with write access');
  expect(asked(runIn.awaiting_approval(), rea)).toBe('someone with write access');
  expect(asked(runIn.queued().agent.isHeld([secret]), mia)).toBe('you, or someone with maintain access');
  expect(asked(byTeam(), { ...rea, teams: [] })).toBe('you, or @acme/leads');
  expect(asked(byTeam(), { ...bob, teams: [] })).toBe('@acme/leads or @rea');
  expect(asked(byTeam(), bob)).toBe('@acme/leads or @rea; perhaps you');
});

test('whoever is the only one reads that, and where nobody can be asked everybody does', () => {
  const onlyRea = { approval: { by: [{ login: 'rea' }] } };
  expect(asked(runIn.awaiting_approval(onlyRea), rea)).toBe('you');
  const nobody = runIn.awaiting_approval({
    approval: { by: [{ login: 'ada' }], requester_may_approve: false },
  });
  expect(asked(nobody, bob)).toBe('nobody whom Coxswain can name');
});
