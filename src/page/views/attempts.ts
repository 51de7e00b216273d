import { agentsWord, failedText, outcomeTexts } from '../../github/words/index.ts';
import type { State } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import { counted, durationText } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';
import { type Html, html } from '../html.ts';
import type { EndedWork } from '../load/attempts.ts';
import type { IssueRoute } from '../routes.ts';
import { pathOf } from '../routes.ts';
import { details, section, shaCode, table, time } from './components.ts';
import { verifiers } from './evidence.ts';

interface AttemptsPlace {
  /** The run's page. */
  readonly path: string;
  readonly work: readonly EndedWork[];
}

/** The attempts of each iteration, the newest iteration first; only its own are open. */
export function attemptsOf({ iteration }: State, { path, work }: AttemptsPlace): readonly Html[] {
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

/** Of attempts, as the iteration counts them: a pushed commit is verified without one. */
function countOf(work: readonly EndedWork[]): string {
  const attempts = work.filter(({ attempt }) => attempt !== null).length;
  const others = work.length - attempts;
  return others === 0 ? `${attempts}` : `${attempts}, and ${counted(others, 'verification')}`;
}

function attemptRow(work: EndedWork, path: string): Html {
  const { number, outcome, duration_s, verifiers: outputs } = work;
  const output = outputs.length > 0 && html`<a href="${path}?work=${number}">Output of ${nameOf(work)}</a>`;
  return html`<tr id="work-${number}"><th scope="row">${work.attempt ?? '–'}</th>
<td><span class="verdict tone-${outcome === 'green' ? 'success' : 'danger'}">${outcomeOf(work)}</span></td>
<td class="prompt">${reasonOf(work)}${keptText(work)}</td><td class="when">${durationText(duration_s)}</td><td>${output}</td></tr>`;
}

/** One attempt on a page of its own, with what its verifiers printed. */
export function attemptPage(route: IssueRoute, work: EndedWork): Html {
  const { iteration, head, at, duration_s, verifiers: outputs } = work;
  const path = pathOf(route);
  const back = html`<a href="${path}">${route.owner}/${route.repo} #${route.number}</a>`;
  const commit = head !== null && html` · ${shaCode(head)}`;
  return html`<header class="page-header"><p class="crumbs"><a href="/">Runs</a> / ${back}</p>
<h1>Iteration ${iteration}, ${nameOf(work)}</h1>
<p>${outcomeOf(work)}${commit} · ${durationText(duration_s)} · ended ${time(at)}</p></header>
${section('reason', 'Result', html`<p class="preserve-lines">${visible(reasonOf(work))}</p>`)}
${section('verifiers', 'Verifiers', outputs.length > 0 ? verifiers(outputs) : html`<p>None ran.</p>`)}
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

function outcomeOf({ outcome }: EndedWork): string {
  return outcome === 'unverified' ? 'not verified' : outcomeTexts[outcome];
}

function reasonOf({ attempt, failure, verifiers: outputs, outcome, summary, head }: EndedWork): string {
  const failing = failure?.message ?? failedText(outputs, { passed: outcome === 'green' });
  const of = attempt === null && head !== null ? `Verification of ${shortSha(head)}` : '';
  const said = summary.trim() === '' ? '' : `${summary} (${agentsWord})`;
  return [of, failing || said].filter((part) => part.trim() !== '').join(': ');
}
