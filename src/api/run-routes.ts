import { createRoute, z } from '@hono/zod-openapi';
import type { ReadRun, Runs } from '../doors/callers/read-run.ts';
import { Problem } from '../doors/problem.ts';
import {
  auditShape,
  diffShape,
  historyShape,
  interruptsShape,
  logsShape,
  runShape,
  steeringShape,
} from '../doors/report/report-shapes.ts';
import {
  auditReport,
  interruptsReport,
  logsReport,
  runReport,
  steeringReport,
} from '../doors/report/run-report.ts';
import { diffOf as readDiff, sourcesOf } from '../runs/run/reply-context.ts';
import { diff } from '../steering/commands/diff.ts';
import { covers } from '../steering/shapes/people.ts';
import { type Api, json, problems, runParams, runPath, type SignedIn, security } from './route-parts.ts';

/** When an answer was true. */
export const asOf = z
  .string()
  .meta({ description: 'When this was so, ISO 8601', example: '2026-01-31T12:00:00Z' });

const nothing = z.strictObject({});

const diffQuery = z.strictObject({
  file: z
    .string()
    .min(1)
    .max(1000)
    // Git takes none with control characters in it.
    .refine((path) => !/\p{Cc}/u.test(path), 'expected a path, a folder or a glob')
    .optional()
    .openapi({ description: 'Only this path, folder or glob', example: 'src/**' }),
  full: z
    .enum(['true', 'false'])
    .optional()
    .openapi({ description: 'With up to 20,000 lines; requires write access', example: 'false' }),
});

const logsQuery = z.strictObject({
  verifier: z
    .string()
    .max(200)
    .optional()
    .openapi({ description: 'Only this one, by its name or as `<repo>:<name>`', example: 'widgets:test' }),
});

/** What can be read of one run. */
interface Reading<S extends z.ZodType, Q extends z.ZodType> {
  readonly path: '' | `/${string}`;
  readonly id: string;
  readonly summary: string;
  readonly shape: S;
  readonly query: Q;
  answer(found: ReadRun, query: z.output<Q>): Promise<z.output<S>> | z.output<S>;
}

/** The routes that read one run. */
export function addReading(api: Api, signedIn: SignedIn, runs: Runs): void {
  const add = <S extends z.ZodType, Q extends z.ZodObject>(reading: Reading<S, Q>) =>
    api.openapi(routeOf(reading, signedIn), async (c) => {
      const found = await runs.read(c.get('caller'), runParams.parse(c.req.param()));
      return c.json(await reading.answer(found, reading.query.parse(c.req.query())), 200);
    });
  add({
    ...{
      path: '',
      id: 'getRun',
      query: nothing,
      shape: runShape.extend({ as_of: asOf }).meta({ id: 'RunNow' }),
    },
    summary: 'Where a run stands, and what is known of its work',
    answer: ({ run, state, as_of }) => {
      const { web, progress } = sourcesOf(run);
      return { ...runReport(state, { web, trust: 'verified', atWork: progress() }), as_of };
    },
  });
  add({
    ...{ path: '/diff', id: 'getDiff', query: diffQuery, shape: diffShape },
    summary: 'The change of a run, with bodies of up to 1,000 lines',
    answer: diffOf,
  });
  add({
    ...{ path: '/logs', id: 'getLogs', query: logsQuery, shape: logsShape },
    summary: 'What its verifiers printed',
    answer: async ({ run }, { verifier }) => {
      const report = logsReport(await sourcesOf(run).outputs(), verifier);
      if (verifier === undefined || report.verifiers.length > 0) return report;
      throw new Problem(404, `No output of a verifier called ${verifier} is there: leave it out to see all.`);
    },
  });
  add({
    ...{ path: '/steering', id: 'getSteering', query: nothing, shape: steeringShape },
    summary: 'How a run was steered',
    answer: ({ state }) => steeringReport(state),
  });
  add({
    ...{ path: '/history', id: 'getHistory', query: nothing, shape: historyShape },
    summary: 'The events of a run as its ledger lists them',
    answer: historyOf,
  });
  add({
    ...{ path: '/audit', id: 'getAudit', query: nothing, shape: auditShape },
    summary: 'Who has settled what, and when',
    answer: ({ state }) => auditReport(state),
  });
  add({
    ...{ path: '/interrupts', id: 'getInterrupts', query: nothing, shape: interruptsShape },
    summary: 'Why a run cannot go on without people',
    answer: ({ state }) => interruptsReport(state),
  });
}

function routeOf({ path, id, summary, shape, query }: Reading<z.ZodType, z.ZodObject>, signedIn: SignedIn) {
  return createRoute({
    ...{ method: 'get', path: `${runPath}${path}`, operationId: id, tags: ['Runs'], summary, security },
    middleware: [signedIn],
    request: { params: runParams, query },
    responses: { 200: json(shape, summary), ...problems() },
  });
}

async function diffOf({ run, readable }: ReadRun, { file, full }: z.output<typeof diffQuery>) {
  const isFull = full === 'true';
  const needed = diff.needsMore?.({ type: 'diff', path: file ?? null, full: isFull });
  if (needed !== undefined && !covers(readable.role, needed.role))
    throw new Problem(
      403,
      `The full diff requires ${needed.role} access here, and you have ${readable.role}.`,
    );
  const found = await readDiff(run, file ?? null, isFull);
  if (found === undefined)
    throw new Problem(404, 'The diff is not available: the branches of this run are not there any more.');
  return diffShape.parse(found);
}

async function historyOf({ run }: ReadRun) {
  const log = await run.ledger.log();
  if (log === undefined)
    throw new Problem(404, 'The history is not available: this run has lost its ledger.');
  return { ledger: log.ref, entries: log.commits, omitted: log.omitted };
}
