import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  auditShape,
  inboxEntryShape,
  interruptsShape,
  logsShape,
  runShape,
  runSummaryShape,
  steeringShape,
} from '../../src/doors/report/report-shapes.ts';
import {
  auditReport,
  inboxEntry,
  interruptsReport,
  logsReport,
  runReport,
  runSummary,
  steeringReport,
} from '../../src/doors/report/run-report.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { aState, at, aVerifier, awaiting, head, shownAt, web } from '../github/show/state.ts';
import { sequences, transitionsOf } from '../steering/random-sequences.ts';

const context = { web, trust: 'verified' } as const;

describe('a run as data', () => {
  test('has exactly what its schema says, whatever has happened', () => {
    const phases = new Set<string>();
    fc.assert(
      fc.property(sequences, ([first, events]) => {
        for (const { after } of transitionsOf(first, events)) {
          phases.add(after.standing.phase);
          const run = runReport(after, context);
          expect(run).toEqual(runShape.strict().parse(run));
          expect(steeringShape.strict().parse(steeringReport(after)).current_iteration).toBe(after.iteration);
          expect(runSummaryShape.strict().parse(runSummary(after, context)).run).toBe(after.run.id);
          expect(auditShape.strict().parse(auditReport(after)).run).toBe(after.run.id);
          expect(interruptsShape.parse(interruptsReport(after)).interrupted).toBe(run.interrupt !== null);
          const entry = inboxEntry(after, context);
          expect(entry === undefined).toBe(openInteraction(after) === null);
          if (entry !== undefined) inboxEntryShape.strict().parse(entry);
        }
      }),
      { numRuns: 30 },
    );
    expect(phases.size).toBeGreaterThan(8);
  });

  test('tells what people are asked with the status that programs wait for', () => {
    const { phase, approval_request } = runReport(awaiting(), context);
    expect(phase).toBe('awaiting_approval');
    expect(approval_request).toMatchObject({
      kind: 'approval',
      status: 'waiting_approval',
      risk_level: 'low',
    });
  });

  test('tells why the work was rejected', () => {
    const state = awaiting();
    const { id } = openInteraction(state) ?? { id: '' };
    const settled = { settled_at: at, by: 'ada', how: 'rejected' };
    const { resolutions } = auditReport({
      ...state,
      interactions: [{ id, kind: 'approval', opened_at: at, head_sha: head, ...settled }],
      standing: { phase: 'rejected', by: 'ada', reason: 'It deletes the test' },
    });
    expect(resolutions).toMatchObject([{ how: 'rejected', reason: 'It deletes the test' }]);
  });

  test('says that nothing is known of a head that was not verified, and not that nothing was found', () => {
    const { changes, risk_level, score } = runReport(aState(), context);
    expect({ changes, risk_level, score }).toEqual({ changes: null, risk_level: null, score: null });
  });

  test('has what verifiers say of single tests, in the run and in its logs', () => {
    const failures = [{ name: 'cart > counts', message: 'expected 1 to be 0', path: 'a.test.ts', line: 3 }];
    const tests = {
      from: 'junit',
      total: 214,
      failed: 1,
      skipped: 2,
      failures,
      unread: ['b.xml: cut'],
    } as const;
    const verifiers = [aVerifier({ success: false, exit_code: 1, tests }), aVerifier({ name: 'lint' })];
    const run = runReport(awaiting({ shown: shownAt(head, { verifiers }) }), context);
    for (const report of [run, logsReport({ head, verifiers })])
      expect(report.verifiers.map((each) => each.tests)).toEqual([tests, undefined]);
    expect(run.status_text).toContain('[FAIL] api:test (exit code: 1, 1 of 214 tests failed, as far as');
    expect(run.why_text).toContain('the first is `cart > counts`');
  });

  test('has the output of one verifier by either of its names', () => {
    const { verifiers } = shownAt(head);
    const [first] = verifiers;
    const outputs = { head, verifiers };
    for (const name of [first?.name, first?.verifier])
      expect(logsReport(outputs, name).verifiers.map((each) => each.name)).toEqual([first?.name]);
    expect(logsShape.parse(logsReport(undefined))).toEqual({ head_sha: null, verifiers: [] });
  });
});
