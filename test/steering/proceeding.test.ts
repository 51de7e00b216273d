import { expect, test } from 'vitest';
import { unlistedCheck } from '../../src/config/check-names.ts';
import { haveOthersPushed } from '../../src/steering/iterations/authorship.ts';
import type { GateHit } from '../../src/steering/shapes/attempt-result.ts';
import type { PolicyFacts, Spoken } from '../../src/steering/shapes/finishing.ts';
import type { ApprovalSettings } from '../../src/steering/shapes/settings.ts';
import type { RunIdentity } from '../../src/steering/shapes/task.ts';
import { ada, bob, deletion, mia, rea, tess } from './samples.ts';
import { type Story, story } from './story.ts';

const auto = { mode: 'auto', new_history: 0, auto_proceed_after_s: 600 } as const;
const written = { on_timeout: 'proceed', on_timeout_written: true } as const;

interface Given {
  readonly approval?: Partial<ApprovalSettings>;
  readonly identity?: Partial<RunIdentity>;
  readonly gates?: readonly GateHit[];
  readonly medium?: boolean;
}

function shown({ approval = {}, identity, gates = [], medium = false }: Given = {}): Story {
  const run = story({ approval: { ...auto, ...approval } }).starts(identity);
  run.agent.finishes();
  return medium ? run.verifiers.fail('lint') : run.verifiers.pass(gates);
}

const whyOf = ({ state }: Story) => {
  const proceeding = state.shown?.proceeding;
  return proceeding?.how === 'wait' ? proceeding.because.map(({ why }) => why) : proceeding?.how;
};

test('with high confidence nobody has to approve, with medium confidence people have time', () => {
  expect(shown().state.standing).toMatchObject({ phase: 'approved', ground: { by: 'policy', rule: 'auto' } });
  const medium = shown({ medium: true });
  const { standing, shown: evaluation } = medium.state;
  const at = new Date(Date.parse(evaluation?.at ?? '') + 600_000).toISOString();
  expect(standing).toMatchObject({ phase: 'awaiting_approval', proceeds: { at, on_timeout: 'proceed' } });
});

test('the threshold alone counts in mode confidence_threshold', () => {
  const at = (threshold: number) =>
    shown({ approval: { mode: 'confidence_threshold', threshold }, medium: true });
  expect(whyOf(at(0.7))).toBe('proceed');
  expect(whyOf(at(0.8))).toEqual(['below_threshold']);
});

test.each<[string, Given]>([
  ['manual', { approval: { mode: 'manual' } }],
  ['gated', { gates: [deletion] }],
  ['action', { identity: { presenter: 'action' } }],
  ['adopted', { identity: { adopted: true } }],
])('people decide because of %s, whatever the confidence', (why, given) => {
  const run = shown(given);
  expect(run.phase).toBe('awaiting_approval');
  expect(whyOf(run)).toEqual([why]);
});

test('people decide about files whose owners the configuration asks, and not about those without owners', () => {
  const owned = (owners: readonly string[]) => {
    const run = story({ approval: { ...auto, by: [{ role: 'write' }, { codeowners: true }] } }).starts();
    run.agent.finishes();
    const authority = { owned: [{ owners, files: ['src/a.ts'], count: 1 }], protected: [] };
    return run.verifiers.find({ authority });
  };
  expect(whyOf(owned(['@ada']))).toEqual(['code_owners']);
  expect(whyOf(owned([]))).toBe('proceed');
});

test('people decide about protected paths, whose own approvers nothing replaces', () => {
  const run = story({ approval: auto }).starts();
  run.agent.finishes();
  const entry = { paths: ['deploy/**'], by: [{ role: 'maintain' }], files: ['deploy/a'], count: 1 } as const;
  expect(whyOf(run.verifiers.find({ authority: { owned: [], protected: [entry] } }))).toEqual([
    'protected_paths',
  ]);
  expect(run.phase).toBe('awaiting_approval');
});

test('people decide where the task says how many of them must approve, or who', () => {
  const run = (approval: object) => {
    const started = story({ approval: auto }).starts({}, { overrides: { approval } });
    started.agent.finishes();
    return started.verifiers.pass();
  };
  expect(whyOf(run({ required: 2 }))).toEqual(['task']);
  expect(whyOf(run({ by: ['@ada'] }))).toEqual(['task']);
  expect(whyOf(run({ threshold: 0.9 }))).toBe('proceed');
});

test('people decide about what others pushed, about unlisted bases and about what ran unprotected', () => {
  expect(whyOf(shown().pushes(bob).verifiers.pass())).toEqual(['others_pushed']);
  const unlisted = shown().retargets(bob, 'easy', {});
  unlisted.engine.takes('engine', {
    settings: { ...unlisted.state.settings, check: unlistedCheck('easy') },
  });
  expect(whyOf(unlisted.verifiers.pass())).toContain('unlisted_base');
  const open = story({ approval: auto }).starts();
  open.engine.takes('engine', { unsandboxed: true });
  open.agent.finishes();
  expect(whyOf(open.verifiers.pass())).toEqual(['unsandboxed']);
});

test('a ledger of an older version says only that others have pushed', () => {
  expect(haveOthersPushed({})).toBe(false);
  expect(haveOthersPushed({ others_pushed: true })).toBe(true);
});

test('a sandbox that the configuration switches off is decided', () => {
  const open = story({ sandbox: 'off', approval: auto }).starts();
  open.engine.takes('engine', { unsandboxed: true });
  open.agent.finishes();
  expect(open.verifiers.pass().phase).toBe('approved');
});

test('on new ground people always have time, and decide unless that is written out', () => {
  const ground = { new_history: 3 };
  const unwritten = shown({ approval: ground });
  expect(unwritten.state.shown?.proceeding).toMatchObject({
    because: [{ why: 'on_timeout_unwritten', where: 'new_ground' }],
    new_ground: { merged_runs: 0, needed: 3 },
  });
  // It is `proceed` as well where nobody wrote it.
  expect(whyOf(shown({ approval: { ...ground, on_timeout: 'proceed' } }))).toEqual(['on_timeout_unwritten']);
  expect(whyOf(shown({ approval: { ...ground, ...written } }))).toBe('wait_with_timeout');
  const threshold = { mode: 'confidence_threshold', ...ground, ...written } as const;
  expect(whyOf(shown({ approval: threshold }))).toBe('wait_with_timeout');
});

test('where it would be merged, a timed proceed has to be written out as well', () => {
  for (const by_default of [{}, { on_timeout: 'proceed' }] as const)
    expect(whyOf(shown({ approval: { finish: 'merge', ...by_default }, medium: true }))).toEqual([
      'on_timeout_unwritten',
    ]);
  expect(whyOf(shown({ approval: { finish: 'merge', ...written }, medium: true }))).toBe('wait_with_timeout');
});

test.each(['/status', '/approve 1234567', '/logs'])(
  '%s stops it, and it stays stopped for this commit',
  (text) => {
    const run = shown({ medium: true }).says(bob, text);
    expect(run.state.standing).not.toHaveProperty('proceeds');
    expect(run.state.left_to_people?.because).toMatchObject({ why: 'stopped', by: 'bob' });
    run.says(ada, '/verify').verifiers.fail('lint');
    expect(whyOf(run)).toEqual(['stopped']);
    expect(whyOf(run.says(ada, '/steer Use UTC.').works())).toBe('proceed');
  },
);

test('what people without rights say stops nothing', () => {
  expect(shown({ medium: true }).says(rea, '/status').state.standing).toHaveProperty('proceeds');
});

test('who may sort issues and pull requests is heard', () => {
  const asked = shown({ medium: true }).says(tess, '/status');
  const words = shown({ medium: true }).apply({ type: 'spoke', how: 'wrote', by: tess, author: tess });
  for (const run of [asked, words]) {
    expect(run.state.standing).not.toHaveProperty('proceeds');
    expect(run.state.left_to_people?.because).toMatchObject({ why: 'stopped', by: 'tess' });
  }
});

function due(run: Story, at?: string, spoken?: Spoken): Story {
  const { standing } = run.state;
  const deadline = standing.phase === 'awaiting_approval' ? (standing.proceeds?.at ?? 'none') : 'none';
  run.now = Date.parse(at ?? deadline);
  return run.apply(
    { type: 'timer_due', timer: 'proceed', deadline, ...(spoken && { spoken }) },
    `timer:proceed:${deadline}`,
  );
}

test.each(['proceed', 'hold', 'deny'] as const)(
  'what somebody said just before goes before the time, which says %s',
  (on_timeout) => {
    const run = shown({ medium: true, approval: { on_timeout } });
    const { updated_at: at } = run.state;
    due(run, undefined, { login: 'bob', id: bob.id, at });
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.standing).not.toHaveProperty('proceeds');
    expect(run.state.left_to_people?.because).toEqual({ why: 'stopped', by: 'bob', at });
  },
);

test('after its time it is approved by policy, waits or is rejected, as the configuration says', () => {
  expect(due(shown({ medium: true })).state.standing).toMatchObject({
    ground: { rule: 'auto_proceed_after' },
  });
  const held = due(shown({ medium: true, approval: { on_timeout: 'hold' } }));
  expect(held.phase).toBe('awaiting_approval');
  expect(held.state.left_to_people?.because.why).toBe('held');
  const denied = due(shown({ medium: true, approval: { on_timeout: 'deny' } }));
  expect(denied.state.standing).toMatchObject({ phase: 'rejected', by: 'coxswain' });
  expect(denied.effects.some((effect) => effect.do === 'close')).toBe(true);
});

test('a timer that is early, or of another time, does nothing', () => {
  const run = shown({ medium: true });
  expect(due(run, '2025-03-03T12:00:01Z').phase).toBe('awaiting_approval');
  run.now += 3_600_000;
  run.apply({ type: 'timer_due', timer: 'proceed', deadline: '2025-03-03T12:00:00.000Z' });
  expect(run.state.standing).toHaveProperty('proceeds');
});

const sound: PolicyFacts = {
  ...{ sealed: true, unproven: [], gates: [], without_write: [], merged_runs: 0 },
  pushers: { people: [], complete: true },
};

test('what speaks for it is confirmed once more, and the check says so', () => {
  expect(shown().confirms({ policy: sound }).state.standing).toMatchObject({
    ...{ phase: 'approved', finish: 'finished' },
    ground: { rule: 'auto' },
  });
  expect(shown().confirms().phase).toBe('queued');
});

test.each<[Partial<PolicyFacts>, string]>([
  [{ sealed: false }, 'sealed'],
  [{ unproven: ['test'] }, 'green for test'],
  [{ gates: [deletion] }, 'deletes-files'],
  [{ pushers: { people: [mia], complete: true } }, 'mia pushed'],
  [{ pushers: { people: [], complete: false } }, 'who else pushed'],
  [{ without_write: ['ada'] }, 'no write access: ada'],
])('%j leaves it to people, who are told why', (fact, why) => {
  const run = shown().confirms({ policy: { ...sound, ...fact } });
  expect(run.phase).toBe('queued');
  expect(run.replies.at(-1)).toMatchObject({ say: 'finish_refused' });
  expect(JSON.stringify(run.replies.at(-1))).toContain(why);
  expect(whyOf(run.verifiers.pass())).toEqual(['finish_refused']);
});

test('who said something before the final check is heard, and nobody afterwards', () => {
  const spoken = { login: 'bob', id: bob.id, at: '2025-03-03T12:10:00Z' };
  const run = due(shown({ medium: true })).confirms({ policy: { ...sound, spoken } });
  expect(JSON.stringify(run.replies.at(-1))).toContain('bob said something');
});

test.each(['wrote', 'edited', 'deleted'] as const)('words that somebody %s stop it too', (how) => {
  const run = shown({ medium: true });
  expect(run.apply({ type: 'spoke', how, by: rea, author: rea }).state.standing).toHaveProperty('proceeds');
  run.apply({ type: 'spoke', how, by: rea, author: bob });
  expect(run.state.standing).not.toHaveProperty('proceeds');
  expect(run.state.left_to_people?.because).toMatchObject({ why: 'stopped', by: 'rea' });
});

test('words from before people were asked stop nothing, but they may have been deleted since', () => {
  const run = shown({ medium: true });
  const words = { type: 'spoke', by: bob, author: bob } as const;
  run.now = Date.parse('2025-03-03T11:00:00Z');
  expect(run.apply({ ...words, how: 'wrote' }).state.standing).toHaveProperty('proceeds');
  expect(run.apply({ ...words, how: 'deleted' }).state.standing).not.toHaveProperty('proceeds');
});

test('until it is merged, words take back what was approved by policy', () => {
  const said = { type: 'spoke', how: 'wrote', by: bob, author: bob } as const;
  const ready = shown().confirms({ policy: sound });
  expect(ready.apply(said).state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  const merging = shown({ approval: { finish: 'auto-merge' } }).confirms({ policy: sound });
  expect(merging.apply(said).phase).toBe('queued');
  expect(JSON.stringify(merging.replies.at(-1))).toContain('bob said something');
  expect(whyOf(merging.verifiers.pass())).toEqual(['stopped']);
  const asked = shown({ approval: { finish: 'auto-merge' } }).says(bob, '/status');
  expect(whyOf(asked.verifiers.pass())).toEqual(['stopped']);
});

test('a deletion takes back what the policy has approved, until it is merged', () => {
  const deleted = { type: 'spoke', how: 'deleted', by: bob, author: mia } as const;
  expect(shown().confirms({ policy: sound }).apply(deleted).phase).toBe('queued');
  const merged = shown().confirms({ policy: sound }).merges(ada);
  expect(merged.apply(deleted).phase).toBe('done');
  expect(merged.state).not.toHaveProperty('words_deleted_at');
});

test('a deletion voids what was approved before it, and nothing later', () => {
  const deleted = { type: 'spoke', how: 'deleted', by: bob, author: mia } as const;
  const run = shown({ approval: { mode: 'manual', required: 2 } }).says(ada, '/approve');
  expect(run.apply(deleted).state.approvals).toEqual([]);
  expect(JSON.stringify(run.replies.at(-1))).toContain('bob deleted a comment');
  run.says(ada, '/approve').says(mia, '/approve').confirms();
  expect(run.state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  expect(run.apply(deleted).phase).toBe('queued');
  const late = shown({ approval: { mode: 'manual' } })
    .apply(deleted)
    .says(ada, '/approve');
  expect(late.confirms().state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
});

test('a history that has become too short gives people time again', () => {
  const run = story({ approval: { ...auto, new_history: 3, ...written } }).starts();
  run.agent.finishes();
  run.engine.takes();
  const { head, settings, standing } = run.state;
  if (!('hold' in standing)) throw new Error('nobody works');
  const outputs = run.state.settings.verifiers.map(({ name, required }) => ({
    ...{ verifier: name, name, required, exit_code: 0, stdout: '', stderr: '', success: true },
    ...{ duration_s: 1, timed_out: false, truncated: false },
  }));
  const changes = { files: [], summary: 'No changes' };
  const found = { head, verifiers: outputs, changes, gates: [], duration_s: 1, merged_runs: 3 };
  run.apply({ type: 'verified', hold: standing.hold, ...found });
  expect(run.state.standing).toMatchObject({ ground: { rule: 'auto' } });
  const now = run.confirms({ settings, policy: { ...sound, merged_runs: 2 } });
  expect(JSON.stringify(now.replies.at(-1))).toContain('too few merged runs');
});

test('an agent that boasts of a hundred calls moves its own component only', () => {
  const calls = Array.from({ length: 100 }, () => ({ kind: 'edit', title: 'x', outcome: 'ok' as const }));
  const boasting = story({ approval: auto }).starts();
  boasting.agent.finishes({ tool_calls: calls });
  boasting.verifiers.fail('lint');
  const modest = shown({ medium: true });
  expect(boasting.state.shown?.confidence.score).toBe(modest.state.shown?.confidence.score);
  expect(boasting.state.standing).toHaveProperty('proceeds');
});

test('reminders come once each, and anew after somebody has answered', () => {
  const run = shown({ approval: { mode: 'manual' } });
  const { standing } = run.state;
  if (standing.phase !== 'awaiting_approval') throw new Error(`it is ${standing.phase}`);
  const at = (percent: number) =>
    new Date(Date.parse(standing.deadline) - 24 * 36_000 * (100 - percent)).toISOString();
  const remind = (deadline: string) => {
    run.now = Date.parse(deadline);
    run.apply(
      { type: 'timer_due', timer: 'reminder', deadline },
      `timer:reminder:${deadline}:${run.events.length}`,
    );
    return 'reminded' in run.state.standing ? run.state.standing.reminded : undefined;
  };
  expect(remind(at(50))).toEqual({ percent: 50, at: at(50) });
  const { seq } = run.state;
  remind(at(50));
  expect(run.state.seq).toBe(seq);
  expect(remind(at(90))).toMatchObject({ percent: 90 });
  expect(run.says(rea, '/status').state.standing).not.toHaveProperty('reminded');
});
