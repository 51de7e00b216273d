import type { State } from '../../steering/state/state.ts';
import { otherBaseCheck, supersededCheck } from '../../words/index.ts';
import { type LedgerTip, type Withheld, withheldIn, withoutSeq, withSeq } from '../marks.ts';
import { clickPrefix, isDecisionOn, otherPullId } from '../names.ts';
import { isFinalRefusal, unless } from '../octokit/fault.ts';
import { ownRuns } from '../read/commit-checks.ts';
import { hasOthers, type PullTarget, repoParamsOf } from '../write/pull-target.ts';
import { type CheckView, maxAnnotations } from './view.ts';

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

/** A check run of ours on GitHub. */
export interface KnownCheck {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  readonly external_id: string;
  readonly result: string;
  /** It says whether the pull request may be merged; others are for verifiers. */
  readonly isDecision: boolean;
  /**
   * How many of its annotations are there. GitHub appends what is sent, so none is sent twice; infinity says
   * that all have been sent, whatever they would be now.
   */
  readonly annotated: number;
  /** Set if it took back what permitted merging. */
  readonly withheld?: Withheld | undefined;
  /** Equal if and only if it need not be written again. */
  readonly content: string;
}

/** Only those our App created for this pull request, because another run may share the head. */
export async function readOwnChecks(target: PullTarget, head: string): Promise<readonly KnownCheck[]> {
  const { octokit, run, own } = target;
  const place = { where: { owner: run.owner, name: run.repo }, number: run.number, own };
  // A commit that GitHub does not know has no check runs.
  const runs = await unless(ownRuns(octokit, place, { head, filter: 'latest' }), 404, 422);
  return (runs ?? [])
    .filter(({ external_id }) => belongsTo(run.number, external_id))
    .sort((one, other) => one.id - other.id)
    .map(({ id, name, head_sha, status, conclusion, external_id, output }) => {
      const result = status === 'completed' ? (conclusion ?? 'neutral') : 'in_progress';
      const text = withoutSeq(output.text ?? '');
      const content = contentOf({ ...output, result, external_id, text });
      const withheld = withheldIn(text);
      const { annotations_count } = output;
      // Only after a full request may there be more to send.
      const annotated = annotations_count % maxAnnotations === 0 ? annotations_count : Infinity;
      const shown = { id, name, head_sha, external_id: external_id ?? '', result };
      const known = { ...shown, content, annotated, withheld };
      return { ...known, isDecision: decides(target, known) };
    });
}

/** Whether a check run is the decision about this pull request, as a run or as any other. */
function decides({ run }: PullTarget, { external_id }: Pick<CheckView, 'external_id'>): boolean {
  return isDecisionOn(run.number, external_id) || external_id === otherPullId(run.number);
}

/** What is to be written, over what, and how far the ledger has come. */
interface CheckWrite {
  readonly view: CheckView;
  readonly there: KnownCheck | undefined;
  readonly tip: LedgerTip | undefined;
  /** Not compared with what is there: processes that know another address would take turns. */
  readonly detailsUrl?: string | undefined;
}

/**
 * Updates a check run, or replaces it by a new one of the same name: a completed one cannot be reopened, and
 * its buttons belong to one interaction.
 */
export async function writeCheck(target: PullTarget, write: CheckWrite): Promise<KnownCheck> {
  const { view, there, tip, detailsUrl } = write;
  const { name, head_sha, external_id, result } = view;
  const text = tip === undefined ? view.text : withSeq(view.text, tip);
  const written = { ...view, text, detailsUrl };
  const kept = there === undefined || isSpent(there, view) ? undefined : there;
  const id = await draw(target, kept, written);
  const annotated = kept?.annotated || view.annotations.length > 0 ? Infinity : 0;
  const known = { id, name, head_sha, external_id, result, content: contentOf(view), annotated };
  return { ...known, isDecision: decides(target, view) };
}

type WrittenView = CheckView & Pick<CheckWrite, 'detailsUrl'>;

/**
 * Writes a check run in as many requests as its annotations need. The text comes with the last of them:
 * without it, a check run that was left half drawn differs from its view, so the next rendering completes it.
 */
async function draw(
  target: PullTarget,
  there: Pick<KnownCheck, 'id' | 'annotated'> | undefined,
  view: WrittenView,
): Promise<number> {
  const sent = there?.annotated ?? 0;
  const left = view.annotations.slice(sent);
  const isLast = left.length <= maxAnnotations;
  const part = { ...view, annotations: left.slice(0, maxAnnotations), ...(!isLast && { text: '' }) };
  let id: number;
  try {
    id = there === undefined ? await create(target, part) : await update(target, there.id, part);
  } catch (fault) {
    if (!isFinalRefusal(fault)) throw fault;
    // An annotation that GitHub refuses must not keep the decision from being shown.
    if (fault.status === 422 && left.length > 0) return draw(target, there, { ...view, annotations: [] });
    // GitHub will never let us write what it once made for another App of the same name.
    if (there !== undefined) return draw(target, undefined, view);
    throw fault;
  }
  return isLast ? id : draw(target, { id, annotated: sent + maxAnnotations }, view);
}

function isSpent(there: KnownCheck, view: CheckView): boolean {
  if (there.result === 'in_progress') return false;
  return there.result !== view.result || there.external_id !== view.external_id;
}

type Content = 'result' | 'external_id' | 'title' | 'summary' | 'text';

/** What a check run says, in the form of `KnownCheck.content`. */
function contentOf(view: { readonly [K in Content]: string | null }): string {
  const { result, external_id, title, summary, text } = view;
  return JSON.stringify([result, external_id, title, summary, text].map((part) => part ?? ''));
}

/** Whether it shows something of this run; what only records a click is left alone, whatever its name. */
function belongsTo(number: number, external_id: string | null): boolean {
  return external_id?.split(':')[1] === String(number) && !external_id.startsWith(clickPrefix);
}

async function create(target: PullTarget, view: WrittenView): Promise<number> {
  const { actions } = view;
  const { data } = await target.octokit.rest.checks.create({
    ...repoParamsOf(target),
    name: view.name,
    head_sha: view.head_sha,
    ...partsOf(target, view),
    output: {
      title: view.title,
      summary: view.summary,
      ...(view.text !== '' && { text: view.text }),
      ...annotationsIn(view),
    },
    ...(actions.length > 0 && { actions: [...actions] }),
  });
  return data.id;
}

async function update(target: PullTarget, check_run_id: number, view: WrittenView): Promise<number> {
  await target.octokit.rest.checks.update({
    ...repoParamsOf(target),
    check_run_id,
    ...partsOf(target, view),
    output: {
      // Sent even if empty, because omitted fields keep their old value.
      ...{ title: view.title, summary: view.summary, text: view.text },
      ...annotationsIn(view),
    },
    actions: [...view.actions],
  });
  return check_run_id;
}

function annotationsIn({ annotations }: CheckView) {
  return annotations.length === 0 ? {} : { annotations: [...annotations] };
}

/** The time is sent, too: whoever reads when something was taken back must find it. */
function partsOf({ clock }: PullTarget, { external_id, result, detailsUrl }: WrittenView) {
  const about = { external_id, ...(detailsUrl !== undefined && { details_url: detailsUrl }) };
  if (result === 'in_progress') return { ...about, status: 'in_progress' } as const;
  const completed_at = clock.now().toISOString();
  return { ...about, status: 'completed', conclusion: result, completed_at } as const;
}
