import { z } from 'zod';
import type { Seals } from '../../seal/seals.ts';
import type { Cost } from '../../steering/attempt-result.ts';
import type { Interaction } from '../../steering/standing.ts';
import type { SteeringIteration } from '../../steering/state.ts';
import type { Task } from '../../steering/task.ts';
import { hasBlock, readBlock, readSealedBlock } from './block.ts';
import { peopleDigest } from './people-digest.ts';

/**
 * What can be recovered from the pull request of a run whose ledger is lost. Anyone with write access may
 * have edited it, so verifier results, confidence and approvals are not recovered.
 */
export interface RecoveredRun {
  readonly seq: number;
  readonly task: Omit<Task, 'repository' | 'base' | 'worker_profile' | 'depends_on'>;
  readonly iteration: number;
  readonly max_iterations: number | undefined;
  readonly attempt: number;
  readonly iterations: readonly SteeringIteration[];
  readonly asked: Interaction | null;
  /** Null where the block proves nothing. */
  readonly people: Pick<Block, 'requested_by' | 'contributors'> | null;
  /** The digest of everyone whom the block names. */
  readonly people_digest: string;
}

/** The run to look for in a body. */
export interface RunName {
  /** `owner/repo#n`; a block from before the repository was renamed counts too. */
  readonly id: string;
  readonly number: number;
  readonly repository_id: number;
}

/** Undefined if the body has no block for the run, or an inconsistent one. The Action has no seals. */
export function recoveredFrom(
  body: string,
  run: RunName,
  seals: Seals | undefined,
): RecoveredRun | undefined {
  const sealed = seals && readSealedBlock(body, run.id, { seals, ...run });
  const { data } = blockShape.safeParse(sealed ?? readBlock(body, run.id));
  if (data === undefined || !belongsTo(data.run, run) || !isConsistent(data)) return undefined;
  const { task, iteration, max_iterations, attempt, history, open_interaction: asked } = data;
  const { requested_by = null, contributors = [] } = data;
  const isSealed = sealed !== undefined;
  const seq = isSealed || seals === undefined ? data.seq : 0;
  const isAsked = asked !== null && isOf(asked, run, seq);
  return {
    ...{ seq, task, iteration, max_iterations, attempt },
    people_digest: peopleDigest(data),
    people: isSealed ? { requested_by, contributors } : null,
    iterations: history.map(iterationFrom),
    asked: isAsked ? asked : null,
  };
}

/**
 * The sequence number of the ledger commit from which the body was rendered; the ledger must have reached
 * it. Only a sealed block proves a number. Where blocks are not sealed, any block of the run says that there
 * was a ledger, hence 1. 0: the body says nothing.
 */
export function renderedSeq(body: string, run: RunName, seals: Seals | undefined): number {
  if (seals !== undefined) return readSealedBlock(body, run.id, { seals, ...run })?.seq ?? 0;
  const block = readBlock(body, run.id);
  if (block === undefined) return hasBlock(body) ? 1 : 0;
  return belongsTo(block.run, run) ? 1 : 0;
}

/** More than any run can have; we never wrote a higher number. */
const maxCommits = 1_000_000;
const maxIterations = 1000;

const sha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const login = z.string().regex(/^[a-z\d][a-z\d_-]{0,60}(?:\[bot\])?$/i);
const time = z.iso.datetime({ offset: true });
const id = z.int().min(0);
const count = z.int().min(0).max(maxCommits);
const iterationNumber = z.int().min(0).max(maxIterations);
const amount = z.number().min(0);

const source = z.discriminatedUnion('from', [
  z.object({ from: z.literal('comment'), comment_id: id, text_sha256: z.string(), written_at: time }),
  z.object({ from: z.literal('review'), review_id: id, commit_id: sha, text_sha256: z.string() }),
  z.object({ from: z.literal('click'), check_run_id: id, head_sha: sha, interaction: z.string() }),
  z.object({ from: z.literal('dispatch'), workflow_run_id: id }),
]);

/** A body has at most 65,536 characters, which limits every text and every list in it. */
const blockShape = z.object({
  seq: count,
  run: z.string(),
  task: z.object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    acceptance_criteria: z.array(z.string()),
    component: z.string(),
    kind: z.enum(['plan', 'build', 'test']),
  }),
  iteration: iterationNumber,
  max_iterations: iterationNumber.optional(),
  attempt: count,
  history: z.array(
    z.object({
      iteration_number: iterationNumber.min(1),
      prompt: z.string(),
      timestamp: time,
      steers: z.array(z.object({ prompt: z.string(), author: login, author_id: id.exactOptional(), source })),
      files_modified: z.array(z.string()),
      files_of: z.enum(['iteration', 'run']).exactOptional(),
      output: z.string(),
      head_before: sha,
      head_after: sha,
      attempts: count,
      cost: z.object({ tokens: amount.optional(), usd: amount.optional() }),
      duration_s: amount,
      undo: z.object({ to: iterationNumber, by: login, done: z.boolean() }).exactOptional(),
    }),
  ),
  requested_by: z
    .object({ login, id })
    .nullish()
    .transform((known) => known ?? null),
  contributors: z.array(z.object({ login, id })).default([]),
  open_interaction: z
    .object({
      id: z.string(),
      kind: z.enum(['approval', 'interrupt', 'permission']),
      opened_at: time,
      head_sha: sha,
    })
    .nullable(),
});

type Block = z.infer<typeof blockShape>;

function belongsTo(name: string, { number }: RunName): boolean {
  return name.endsWith(`#${number}`);
}

/** Iterations are in ascending order, and none is after the current one. */
function isConsistent({ history, iteration }: Block): boolean {
  const numbers = history.map(({ iteration_number }) => iteration_number);
  return numbers.every((number, index) => number <= iteration && number > (numbers[index - 1] ?? 0));
}

/** An interaction's id contains its kind, its pull request and the number of the commit that opened it. */
function isOf({ id: name, kind }: Interaction, { number }: RunName, seq: number): boolean {
  const [, opened] = new RegExp(`^${kind}:${number}:(\\d{1,7})$`).exec(name) ?? [];
  return opened !== undefined && Number(opened) <= seq;
}

function iterationFrom({ cost, ...known }: Block['history'][number]): SteeringIteration {
  return { ...known, cost: costFrom(cost), score: null, verifiers: [], landed: true };
}

function costFrom({ tokens, usd }: Block['history'][number]['cost']): Cost {
  return { ...(tokens === undefined ? {} : { tokens }), ...(usd === undefined ? {} : { usd }) };
}
