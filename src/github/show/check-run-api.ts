import { type LedgerTip, type Withheld, withheldIn, withoutSeq, withSeq } from '../../words/withheld-mark.ts';
import { clickPrefix, isDecisionOn, otherPullId } from '../check-ids.ts';
import { isFinalRefusal, unless } from '../octokit/fault.ts';
import { ownRuns } from '../read/commit-checks.ts';
import { type PullTarget, repoParamsOf } from '../write/pull-target.ts';
import { maxAnnotations } from './annotations.ts';
import type { CheckView } from './view.ts';

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
export function decides({ run }: PullTarget, { external_id }: Pick<CheckView, 'external_id'>): boolean {
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

/** As `KnownCheck.content`. */
export function contentOf(view: { readonly [K in Content]: string | null }): string {
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
