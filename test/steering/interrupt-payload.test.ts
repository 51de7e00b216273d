import { expect, test } from 'vitest';
import { announcements, approvalRequestOf } from '../../src/steering/announcements.ts';
import { interruptPayload } from '../../src/steering/iterations/requests-for-programs.ts';
import type { Interrupt } from '../../src/steering/shapes/standing.ts';
import type { State } from '../../src/steering/state/state.ts';
import { ada, changes } from './samples.ts';
import { story } from './story.ts';

/** An interrupt as other programs get it. */

const types: { readonly [C in Interrupt['type']]: string } = {
  task_exceeded_retries: 'task_exceeded_retries',
  zero_confidence: 'zero_confidence',
  budget_exceeded: 'budget_exceeded',
  manual_interrupt: 'manual_interrupt',
  agent_unusable: 'task_exceeded_retries',
  red_before: 'task_exceeded_retries',
  conflict: 'task_exceeded_retries',
  nothing_changed: 'task_exceeded_retries',
  unanswered: 'task_exceeded_retries',
  circles: 'task_exceeded_retries',
};

const failed = () =>
  story({ attempts: { max: 1 } })
    .starts()
    .agent.finishes()
    .verifiers.fail('test');

function interruptedBy(interrupt: Interrupt): State {
  const { state } = failed();
  const { standing } = state;
  if (standing.phase !== 'awaiting_resolution') throw new Error(`it is ${standing.phase}`);
  return { ...state, standing: { ...standing, interrupt } };
}

test.each(Object.entries(types))('%s is exported as %s, with its cause beside it', (cause, type) => {
  const as = cause as Interrupt['type'];
  const state = interruptedBy({ type: as, retry_count: 2, failure_reason: 'it failed' });
  const { task } = state;
  expect(interruptPayload(state)).toEqual({
    type,
    task_id: task.id,
    task_description: task.description,
    component: task.component,
    phase: task.kind,
    retry_count: 2,
    failure_reason: 'it failed',
    acceptance_criteria: task.acceptance_criteria,
    files_modified: changes.files.map(({ path }) => path),
    assigned_worker_profile: task.worker_profile,
    depends_on: task.depends_on,
    cause,
  });
});

test('without a report there are no details and no files', () => {
  const run = story().starts().engine.takes().says(ada, '/interrupt');
  expect(interruptPayload(run.state)).toMatchObject({
    type: 'manual_interrupt',
    failure_reason: 'No details available',
    files_modified: [],
  });
  const silent = interruptedBy({ type: 'zero_confidence', retry_count: 0, failure_reason: ' \n' });
  expect(interruptPayload(silent)?.failure_reason).toBe('No details available');
});

test('it is there while people are late, and only while they have to decide', () => {
  expect(interruptPayload(failed().waits(25).state)).toEqual(interruptPayload(failed().state));
  expect(failed().waits(25).phase).toBe('timed_out');
  for (const run of [story().starts(), story().starts().works(), failed().says(ada, '/retry')])
    expect(interruptPayload(run.state)).toBeNull();
});

test('whoever hears that an interrupt was raised gets it', () => {
  const run = failed();
  const event = run.events.at(-1);
  const before = story({ attempts: { max: 1 } })
    .starts()
    .agent.finishes().state;
  if (event === undefined) throw new Error('nothing has happened');
  expect(announcements(before, run.state, event).at(-1)).toMatchObject({
    event: 'interrupt_raised',
    interrupt: interruptPayload(run.state),
  });
});

test('what is known of a request is bounded, whatever it is made of', () => {
  const { state } = failed();
  const long = 'x'.repeat(5_000);
  const many = <T>(one: T): readonly T[] => Array.from({ length: 300 }, () => one);
  const file = { path: long, status: 'added', additions: 1, deletions: 0 } as const;
  const [verifier] = state.shown?.verifiers ?? [];
  if (state.shown === null || verifier === undefined) throw new Error('nothing was verified');
  const shown = {
    ...state.shown,
    changes: { files: many(file), summary: long },
    verifiers: many({ ...verifier, name: long }),
    gates: many({ rule: 'r', severity: 'high', evidence: long } as const),
  };
  const details = approvalRequestOf({ ...state, shown })?.details;
  expect(details?.summary).toHaveLength(2_000);
  for (const list of [details?.files, details?.verifiers, details?.gates]) expect(list).toHaveLength(50);
  for (const text of [details?.files[0]?.path, details?.verifiers[0]?.name, details?.gates[0]?.evidence])
    expect(text).toHaveLength(300);
});
