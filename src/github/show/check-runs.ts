import type { State } from '../../steering/state/state.ts';
import { otherBaseCheck, supersededCheck } from '../../words/index.ts';
import type { LedgerTip } from '../../words/withheld-mark.ts';
import { unless } from '../octokit/fault.ts';
import { hasOthers, type PullTarget } from '../write/pull-target.ts';
import { contentOf, decides, type KnownCheck, readOwnChecks, writeCheck } from './check-run-api.ts';
import type { CheckView } from './view.ts';

/** The check runs of a run, on every head it has had. */
export class CheckRuns {
  readonly #target: PullTarget;
  readonly #tip: () => LedgerTip | undefined;
  readonly #known = new Map<string, KnownCheck>();
  readonly #read = new Set<string>();

  /** `tip` is what every decision says of the ledger. */
  constructor(target: PullTarget, tip: () => LedgerTip | undefined) {
    this.#target = target;
    this.#tip = tip;
  }

  /** Whether a decision of ours that permits merging is known on some commit. */
  get showsSuccess(): boolean {
    return [...this.#known.values()].some(({ isDecision, result }) => isDecision && result === 'success');
  }

  /** Whether something may have to be written, as far as is known without asking GitHub. */
  differ(state: State, views: readonly CheckView[]): boolean {
    if (views.some(({ head_sha }) => !this.#read.has(head_sha))) return true;
    const changed = views.some((view) => this.#known.get(keyOf(view))?.content !== contentOf(view));
    return changed || this.#leftBehind(state, state.head).length > 0;
  }

  /**
   * Creates and updates what differs, only on the head of the pull request as GitHub says it is. A decision
   * that is left anywhere else is replaced first: a green one could be merged there.
   */
  async render(state: State, views: readonly CheckView[], head: string): Promise<void> {
    const here = state.head === head ? views.filter(({ head_sha }) => head_sha === head) : [];
    for (const each of [head, state.head, formerHead(state) ?? head]) await this.#learn(each);
    await this.#replace(this.#leftBehind(state, head), state, head);
    for (const view of here) await this.#renderOne(view, state);
  }

  /** Replaces the decisions on former heads, also those that another process drew. */
  async retire(heads: readonly string[], state: State): Promise<void> {
    const former = heads.filter((head) => head !== state.head);
    for (const head of former) await this.#learn(head);
    const left = [...this.#known.values()].filter((run) => isOpen(run) && former.includes(run.head_sha));
    await this.#replace(left, state, state.head);
  }

  /** The cache may be outdated: read again before the next rendering. */
  forget(): void {
    this.#known.clear();
    this.#read.clear();
  }

  /** Reads each head once, because another process of ours may have created check runs on it. */
  async #learn(head: string): Promise<void> {
    if (this.#read.has(head)) return;
    for (const run of await readOwnChecks(this.#target, head)) this.#known.set(keyOf(run), run);
    this.#read.add(head);
  }

  /** What another process of ours has created meanwhile would otherwise be there twice. */
  async #learnAgain(head: string): Promise<void> {
    this.#read.delete(head);
    await this.#learn(head);
  }

  async #renderOne(view: CheckView, state: State): Promise<void> {
    if (!this.#known.has(keyOf(view)) && hasOthers(this.#target)) await this.#learnAgain(view.head_sha);
    const there = this.#known.get(keyOf(view));
    if (there?.content === contentOf(view)) return;
    const tip = decides(this.#target, view) ? this.#tip() : undefined;
    const detailsUrl = this.#target.detailsUrl?.(state);
    const written = await writeCheck(this.#target, { view, there, tip, detailsUrl }).catch(
      (fault: unknown) => {
        // GitHub may have accepted it all the same, so the next rendering reads first.
        this.#read.delete(view.head_sha);
        throw fault;
      },
    );
    this.#known.set(keyOf(view), written);
  }

  /** Decisions on other commits, and on this one under a name that another base earned. */
  #leftBehind({ settings }: State, head: string): readonly KnownCheck[] {
    return [...this.#known.values()].filter(
      (run) => isOpen(run) && (run.head_sha !== head || run.name !== settings.check),
    );
  }

  async #replace(left: readonly KnownCheck[], state: State, head: string): Promise<void> {
    for (const run of left) {
      const drawn = this.#renderOne(superseding(run, state, head), state).then(() => true);
      // 422: GitHub no longer has the commit, so nothing can be merged there either.
      if (!(await unless(drawn, 422))) this.#known.delete(keyOf(run));
    }
  }
}

/** Whether it is a decision that has not been taken back. */
function isOpen({ isDecision, result }: KnownCheck): boolean {
  return isDecision && result !== 'cancelled';
}

/** Not `neutral`, which would satisfy a rule that requires the check if this head came back. */
function superseding({ name, head_sha }: KnownCheck, state: State, head: string): CheckView {
  return {
    ...(head_sha === head ? otherBaseCheck(state.run.base) : supersededCheck(head)),
    name,
    head_sha,
    external_id: `work:${state.run.number}:${state.iteration}`,
    result: 'cancelled',
    actions: [],
    annotations: [],
  };
}

/** The previous head according to the state; its check may have been left open. */
function formerHead({ head, attempts, iterations, run }: State): string | undefined {
  const heads = [
    run.head,
    ...iterations.flatMap(({ head_before, head_after }) => [head_before, head_after]),
    ...attempts.map((attempt) => attempt.head),
  ];
  return heads.findLast((former) => former !== head);
}

function keyOf({ name, head_sha }: { readonly name: string; readonly head_sha: string }): string {
  return `${head_sha} ${name}`;
}
