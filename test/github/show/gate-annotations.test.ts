import { expect, test } from 'vitest';
import { readOwnChecks, writeCheck } from '../../../src/github/show/check-runs.ts';
import { gateAnnotations, viewOf } from '../../../src/github/show/view.ts';
import type { GateHit } from '../../../src/steering/shapes/attempt-result.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';
import { awaiting, head, shownAt, web } from './state.ts';

expectOnlyStubbedRequests();

const skipped: GateHit = {
  ...({ rule: 'weakens-tests', severity: 'high', evidence: '@ada skips a test' } as const),
  ...{ path: 'test/login.test.ts', line: 4, allows: 'nobody notices when the login breaks' },
};
const target = {
  octokit: client(),
  own: { login: 'coxswain[bot]', app: { id: 1 } },
  secrets: [],
  log: { info: () => undefined, warn: () => undefined },
  clock: { now: () => new Date() },
  run: {
    ...{ id: 'acme/api#12', owner: 'acme', repo: 'api', number: 12, repository_id: 77 },
    presenter: 'app' as const,
  },
};

test('a gate with a line annotates it, with the consequence of an approval; mentions have no effect', () => {
  expect(gateAnnotations([skipped, { rule: 'deletes-files', severity: 'high', evidence: 'rm ran' }])).toEqual(
    [
      {
        ...{ path: 'test/login.test.ts', start_line: 4, end_line: 4, annotation_level: 'warning' },
        message:
          'weakens-tests (high): @\u200bada skips a test. ' +
          'Approving it means: nobody notices when the login breaks',
      },
    ],
  );
});

test('a hundred gates make fifty annotations', () => {
  expect(gateAnnotations(Array.from({ length: 100 }, (_, line) => ({ ...skipped, line })))).toHaveLength(50);
});

test('a line number that GitHub would refuse the whole check run for makes none', () => {
  expect(gateAnnotations([{ ...skipped, line: 2_000_000_000 }])).toEqual([]);
});

test('a check run that was begun without annotations gets them once', async () => {
  const app = { id: 1, slug: 'coxswain' };
  const external_id = 'approval:12:6';
  const [view] = viewOf(awaiting({ shown: shownAt(head, { gates: [skipped] }) }), web).checks;
  if (view === undefined) throw new Error('there is no decision');
  const place = `/repos/acme/api/commits/${head}/check-runs?filter=latest&per_page=100&app_id=1`;
  const begun = { id: 7, name: 'Coxswain', head_sha: head, status: 'in_progress', conclusion: null };
  const output = { title: null, summary: null, text: null, annotations_count: 0 };
  github()
    .get(place)
    .reply(200, { total_count: 1, check_runs: [{ ...begun, external_id, output, app }] });
  const [there] = await readOwnChecks(target, head);
  const sent: unknown[] = [];
  github()
    .patch('/repos/acme/api/check-runs/7', ({ output: { annotations } }) => sent.push(annotations) > 0)
    .times(2)
    .reply(200, {});
  const written = await writeCheck(target, { view, there, tip: undefined });
  await writeCheck(target, { view: { ...view, title: 'Another' }, there: written, tip: undefined });
  expect(sent).toEqual([view.annotations, undefined]);
  expect(view.annotations).toHaveLength(1);
});

test('an annotation that GitHub refuses does not keep the decision from being shown', async () => {
  const [view] = viewOf(awaiting({ shown: shownAt(head, { gates: [skipped] }) }), web).checks;
  if (view === undefined) throw new Error('there is no decision');
  const sent: unknown[] = [];
  const annotationsIn = (body: unknown) => {
    const { output } = body as { output: { annotations?: unknown } };
    sent.push(output.annotations);
    return true;
  };
  const errors = [{ resource: 'CheckAnnotation', code: 'invalid', field: 'path' }];
  github()
    .post('/repos/acme/api/check-runs', annotationsIn)
    .reply(422, { message: 'Validation Failed', errors })
    .post('/repos/acme/api/check-runs', annotationsIn)
    .reply(201, { id: 8 });
  const written = await writeCheck(target, { view, there: undefined, tip: undefined });
  expect(written).toMatchObject({ id: 8, result: 'action_required', isDecision: true });
  expect(sent).toEqual([[expect.objectContaining({ path: 'test/login.test.ts' })], undefined]);
});
