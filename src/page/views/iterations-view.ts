import { type Html, html, time } from '../../html/html.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { State } from '../../steering/state/state.ts';
import { counted, durationText } from '../../text/amounts.ts';
import { visible } from '../../text/characters.ts';
import { agentsWord, failedText, iterationsText, outcomeTexts, plain, under } from '../../words/index.ts';
import type { Tone } from '../../words/phases/row.ts';
import type { EndedWork } from '../load/ended-work.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import { details, prose, section, shaCode, table } from './components.ts';
import { verifiers } from './evidence-view.ts';

/** Where an iteration is shown. */
interface IterationsPlace {
  /** Where the repository is on GitHub. */
  readonly web: string;
  /** Where the run is on our page. */
  readonly path: string;
  /** All work that has ended; none if the history could not be loaded. */
  readonly work: readonly EndedWork[];
}

/** Lists every iteration with its result and its attempts. */
export function iterations(state: State, place: IterationsPlace): Html {
  if (state.iterations.length === 0)
    return html`<p class="muted">The first iteration has not finished yet.</p>`;
  const { task, requested_by, standing } = state;
  const context = { title: task.title, requester: requested_by.login, phase: standing.phase, web: place.web };
  const queued = state.queue.map(({ author, prompt }) => `- **${plain(author)}** ${plain(prompt, 2000)}`);
  return html`${prose(iterationsText(state.iterations, context))}
<p class="muted">The work time is that of agents and verifiers, without waiting.</p>
${attemptsOf(state, place)}${prose(under('Queued steers:', queued))}`;
}

/** The attempts of each iteration, the newest iteration first; only its own are open. */
function attemptsOf({ iteration }: State, { path, work }: IterationsPlace): readonly Html[] {
  const numbers = [...new Set(work.map((each) => each.iteration))].toReversed();
  return numbers.map((number) => {
    const own = work.filter((each) => each.iteration === number);
    const title = `Attempts of iteration ${number}`;
    const heads = ['attempt', 'outcome', 'reason', 'work time', 'verifiers'];
    const rows = own.map((each) => attemptRow(each, path));
    const id = `attempts-of-iteration-${number}`;
    const open = number === iteration;
    return details({ id, summary: `${title} (${countOf(own)})`, open }, table(title, heads, rows));
  });
}

/** Counts attempts as the iteration does: a pushed commit is verified without one. */
function countOf(work: readonly EndedWork[]): string {
  const attempts = work.filter(({ attempt }) => attempt !== null).length;
  const others = work.length - attempts;
  return others === 0 ? `${attempts}` : `${attempts}, and ${counted(others, 'verification')}`;
}

function attemptRow(work: EndedWork, path: string): Html {
  const { number, stage, plan, duration_s, verifiers: outputs } = work;
  const what = plan !== undefined ? 'The plan' : outputs.length > 0 ? 'Output' : undefined;
  const output = what !== undefined && html`<a href="${path}?work=${number}">${what} of ${nameOf(work)}</a>`;
  return html`<tr id="work-${number}"><th scope="row">${work.attempt ?? '–'}${stage !== undefined && `, ${stage}`}</th>
<td><span class="verdict tone-${toneOf(work)}">${outcomeOf(work)}</span></td>
<td class="prompt">${reasonOf(work)}${keptText(work)}</td><td class="when">${durationText(duration_s)}</td><td>${output}</td></tr>`;
}

/** One attempt on a page of its own, with what its verifiers printed; `web` is the repository's address. */
export function attemptPage(route: IssueRoute, work: EndedWork, web: string): Html {
  const { iteration, head, at, duration_s, verifiers: outputs, plan } = work;
  const path = pathOf(route);
  const back = html`<a href="${path}">${route.owner}/${route.repo} #${route.number}</a>`;
  const commit = head !== null && html` · ${shaCode(head)}`;
  return html`<header class="page-header"><p class="crumbs"><a href="/">Runs</a> / ${back}</p>
<h1>Iteration ${iteration}, ${nameOf(work)}</h1>
<p>${outcomeOf(work)}${commit} · ${durationText(duration_s)} · ended ${time(at)}</p></header>
${section('reason', 'Result', html`<p class="preserve-lines">${visible(reasonOf(work))}</p>`)}
${plan !== undefined && section('plan', 'Plan', prose(plan.text))}
${section('verifiers', 'Verifiers', outputs.length > 0 ? verifiers(outputs, head === null ? {} : { at: { web, head } }) : html`<p>None ran.</p>`)}
<p><a href="${path}#work-${work.number}">Back to the run</a></p>`;
}

function keptText({ kept_ref }: EndedWork): Html | false {
  return kept_ref !== null && html`<p>It is kept: <code>git fetch origin ${kept_ref}</code></p>`;
}

function nameOf({ attempt, head }: EndedWork): string {
  return attempt === null
    ? `verification of ${head === null ? 'a commit' : shortSha(head)}`
    : `attempt ${attempt}`;
}

function toneOf({ outcome }: EndedWork): Tone {
  if (outcome === 'handed_over') return 'neutral';
  return outcome === 'green' ? 'success' : 'danger';
}

function outcomeOf({ outcome, plan }: EndedWork): string {
  if (outcome === 'handed_over') return plan === undefined ? 'done' : 'planned';
  return outcome === 'unverified' ? 'not verified' : outcomeTexts[outcome];
}

function reasonOf({ attempt, failure, verifiers: outputs, outcome, summary, head }: EndedWork): string {
  const failing = failure?.message ?? failedText(outputs, { passed: outcome === 'green' });
  const of = attempt === null && head !== null ? `Verification of ${shortSha(head)}` : '';
  const said = summary.trim() === '' ? '' : `${summary} (${agentsWord})`;
  return [of, failing || said].filter((part) => part.trim() !== '').join(': ');
}
