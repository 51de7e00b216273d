import type { State } from '../../steering/state.ts';
import { clickPrefix, isDecisionOn, otherPullId } from '../check-ids.ts';
import { isOwnCheck } from '../own.ts';
import { otherBaseCheck, supersededCheck } from '../words/index.ts';
import { type PullTarget, repoParamsOf } from '../write/pull-target.ts';
import type { CheckView } from './view.ts';

interface Known {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  readonly external_id: string;
  readonly result: string;
  readonly content: string;
}

/** The check runs of a run, on every head it has had. */
export class CheckRuns {
  readonly #target: PullTarget;
  readonly #known = new Map<string, Known>();
  readonly #read = new Set<string>();

  constructor(target: PullTarget) {
    this.#target = target;
  }

  /** Creates and updates what differs, and completes what an earlier head left in progress. */
  async render(state: State, views: readonly CheckView[]): Promise<void> {
    const former = this.#read.size === 0 ? formerHead(state) : undefined;
    for (const { head_sha } of views) await this.#learn(head_sha);
    if (former !== undefined) await this.#learn(former);
    for (const view of views) await this.#renderOne(view);
    const left = [...this.#known.values()].filter((run) => isLeftBehind(run, state));
    for (const run of left) await this.#renderOne(superseding(run, state));
  }

  /** The cache may be outdated: read again before the next rendering. */
  forget(): void {
    this.#known.clear();
    this.#read.clear();
  }

  /** Reads each head once, because another process of ours may have created check runs on it. */
  async #learn(head: string): Promise<void> {
    if (this.#read.has(head)) return;
    for (const run of await readOwn(this.#target, head)) this.#known.set(keyOf(run), run);
    this.#read.add(head);
  }

  async #renderOne(view: CheckView): Promise<void> {
    const there = this.#known.get(keyOf(view));
    const { name, head_sha, external_id, result } = view;
    const content = contentOf(view);
    if (there?.content === content) return;
    const isNew = there === undefined || isSpent(there, view);
    const id = await (isNew ? create(this.#target, view) : update(this.#target, there.id, view));
    this.#known.set(keyOf(view), { id, name, head_sha, external_id, result, content });
  }
}

/**
 * A completed check run cannot be reopened, and its buttons belong to one interaction: a new one of the same
 * name replaces it.
 */
function isSpent(there: Known, view: CheckView): boolean {
  if (there.result === 'in_progress') return false;
  return there.result !== view.result || there.external_id !== view.external_id;
}

/** An open decision about an earlier head, or one for another base that is open or lets it pass. */
function isLeftBehind(known: Known, { head, run, settings }: State): boolean {
  const { name, head_sha, external_id, result } = known;
  if (!isDecisionOn(run.number, external_id) && external_id !== otherPullId(run.number)) return false;
  if (head_sha !== head) return result === 'in_progress';
  return name !== settings.check && ['in_progress', 'action_required', 'success', 'neutral'].includes(result);
}

/** Not `neutral`, which would satisfy a rule that requires the check if this head came back. */
function superseding({ name, head_sha }: Known, state: State): CheckView {
  return {
    ...(head_sha === state.head ? otherBaseCheck(state.run.base) : supersededCheck(state.head)),
    name,
    head_sha,
    external_id: `work:${state.run.number}:${state.iteration}`,
    result: 'cancelled',
    actions: [],
    annotations: [],
  };
}

/** The previous head according to the state; its check may have been left in progress. */
function formerHead({ head, attempts, iterations, run }: State): string | undefined {
  const heads = [
    run.head,
    ...iterations.flatMap(({ head_before, head_after }) => [head_before, head_after]),
    ...attempts.map((attempt) => attempt.head),
  ];
  return heads.findLast((former) => former !== head);
}

/** Only those our App created for this pull request, because another run may share the head. */
async function readOwn(target: PullTarget, head: string): Promise<readonly Known[]> {
  const { octokit, run } = target;
  const { data } = await octokit.rest.checks.listForRef({
    ...repoParamsOf(target),
    ref: head,
    filter: 'latest',
    per_page: 100,
  });
  return data.check_runs
    .filter((found) => isOwnCheck(found, target.own) && belongsTo(run.number, found.external_id))
    .sort((one, other) => one.id - other.id)
    .map(({ id, name, head_sha, status, conclusion, external_id, output }) => {
      const result = status === 'completed' ? (conclusion ?? 'neutral') : 'in_progress';
      const { title, summary, text } = output;
      return {
        id,
        name,
        head_sha,
        external_id: external_id ?? '',
        result,
        content: contentText([result, external_id, title, summary, text]),
      };
    });
}

/** Whether it shows something of this run; what only records a click is left alone, whatever its name. */
function belongsTo(number: number, external_id: string | null): boolean {
  return external_id?.split(':')[1] === String(number) && !external_id.startsWith(clickPrefix);
}

async function create(target: PullTarget, view: CheckView): Promise<number> {
  const { annotations, actions } = view;
  const { data } = await target.octokit.rest.checks.create({
    ...repoParamsOf(target),
    name: view.name,
    head_sha: view.head_sha,
    ...partsOf(view),
    output: { ...outputOf(view), ...(annotations.length === 0 ? {} : { annotations: [...annotations] }) },
    ...(actions.length === 0 ? {} : { actions: [...actions] }),
  });
  return data.id;
}

/** Annotations are not sent again, because GitHub would append them to the existing ones. */
async function update(target: PullTarget, check_run_id: number, view: CheckView): Promise<number> {
  await target.octokit.rest.checks.update({
    ...repoParamsOf(target),
    check_run_id,
    ...partsOf(view),
    // Sent even if empty, because omitted fields keep their old value.
    output: { title: view.title, summary: view.summary, text: view.text },
    actions: [...view.actions],
  });
  return check_run_id;
}

function partsOf({ external_id, result }: CheckView) {
  return result === 'in_progress'
    ? ({ external_id, status: 'in_progress' } as const)
    : ({ external_id, status: 'completed', conclusion: result } as const);
}

function outputOf({ title, summary, text }: CheckView) {
  return { title, summary, ...(text === '' ? {} : { text }) };
}

function keyOf({ name, head_sha }: { readonly name: string; readonly head_sha: string }): string {
  return `${head_sha} ${name}`;
}

function contentOf({ result, external_id, title, summary, text }: CheckView): string {
  return contentText([result, external_id, title, summary, text]);
}

function contentText(parts: readonly (string | null | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? ''));
}
