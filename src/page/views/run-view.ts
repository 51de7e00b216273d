import { countdown, type Html, html, time, type Value } from '../../html/html.ts';
import type { LedgerLog } from '../../ledger/directory.ts';
import { approvalRequestOf } from '../../steering/announcements.ts';
import { queryCommands } from '../../steering/commands/index.ts';
import { ownNote } from '../../steering/decide.ts';
import { agentName } from '../../steering/iterations/authorship.ts';
import { heldWork } from '../../steering/iterations/interactions.ts';
import { spentBefore } from '../../steering/iterations/spending.ts';
import type { Progress } from '../../steering/shapes/agent-progress.ts';
import { isAwaitingChecks, isLeased } from '../../steering/shapes/standing.ts';
import type { Restoration } from '../../steering/shapes/task.ts';
import type { State } from '../../steering/state/state.ts';
import { costText } from '../../text/amounts.ts';
import { visible } from '../../text/characters.ts';
import {
  markdown,
  mergeText,
  missingParts,
  missingText,
  paragraphs,
  phaseSentence,
  sandboxText,
  stageWord,
  under,
  wordsOf,
} from '../../words/index.ts';
import type { DiffView } from '../diff/diff-view.ts';
import type { FormInput } from '../forms/form-input.ts';
import { offersOf, type Speaker } from '../forms/offers.ts';
import { endedWork } from '../load/ended-work.ts';
import type { CheckRun, RunModel } from '../load/load-run.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import { type ChangesOptions, changes } from './changes.ts';
import { commandButtons, commentForm, offerNotes } from './command-buttons.ts';
import {
  badge,
  conversation,
  externalLink,
  prose,
  pullLink,
  pullLinks,
  section,
  shaCode,
  table,
  whenLoaded,
} from './components.ts';
import { evidence } from './evidence-view.ts';
import { iterations } from './iterations-view.ts';
import { newsOf } from './news.ts';
import { pageHeader, phaseDetails } from './run-header.ts';

export interface RunViewOptions {
  readonly run: RunModel;
  readonly speaker: Speaker;
  readonly view: DiffView;
  readonly input: FormInput | null;
  readonly news: News;
  /** The blocked runs that begin when this one is merged. */
  readonly waiting?: readonly { readonly name: string; readonly number: number }[];
}

/** Shows a run: its phase, the commands available now, and all the evidence. */
export function runView(options: RunViewOptions): Html {
  const { run, news, speaker } = options;
  const { state, route, pull } = run;
  const web = pull.url.replace(/\/pull\/\d+$/, '');
  // What people are asked comes first, also before the commands on a narrow screen.
  const asked =
    'value' in state &&
    phaseDetails(state.value, {
      ...{ route, web, offers: offersOf(state.value, speaker), posting: speaker.posting },
    });
  const now = 'value' in state && [atWork(route, state.value, news), prose(sandboxText(state.value))];
  return html`${pageHeader(run)}
${asked}
<div class="columns">
<div class="sidebar">${commandSection(options)}${policySection(run)}${factsSection(options)}${checksSection(run)}</div>
<div class="content">${now}${changesSection(options)}${evidence(run, web)}${iterationsSection(run, web)}${logSections(run)}</div>
</div>`;
}

function commandSection({ run, speaker, input }: RunViewOptions): Html {
  const { route, state, pull } = run;
  if ('missing' in state) {
    const none = { offered: ['run', ...queryCommands] } as const;
    const missing = html`<p class="missing">${state.missing}</p>`;
    return section(
      'commands',
      'Commands',
      missing,
      commentForm({ route, offers: none, approval: null, input }),
    );
  }
  const offers = offersOf(state.value, speaker);
  return section(
    'commands',
    'Commands',
    offerNotes(offers, speaker, pull.url),
    commandButtons({ route, state: state.value, offers, input, posting: speaker.posting }),
    commentForm({
      ...{ route, offers, approval: state.value.settings.approval, input },
      commit: state.value.head,
      ...(state.value.standing.phase === 'awaiting_stage' && { steered: stageWord(state.value) }),
    }),
  );
}

/** Who and what the next step waits for. */
function policySection({ state }: RunModel): Html | false {
  return 'value' in state && section('policy', 'What is missing', missingView(state.value));
}

/** Left out where there is nothing to say. */
type Fact = readonly [name: string, value: Value];

function factsSection({ run: { route, pull, state }, waiting = [] }: RunViewOptions): Html {
  const facts: readonly Fact[] = [
    ['Branch', html`<code>${pull.branch}</code> into <code>${pull.base}</code>`],
    ['Head', shaCode(pull.head_sha)],
    ...('value' in state ? stateFacts(state.value, route) : []),
    ['Waits for this', waiting.length > 0 && pullLinks(route, waiting)],
    ['Pull request', externalLink(pull.url, 'on GitHub')],
  ];
  const rows = facts.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return section('facts', 'Facts', html`<dl class="pairs">${rows}</dl>`);
}

function stateFacts(state: State, route: IssueRoute): readonly Fact[] {
  const { restored, replaces, standing, settings } = state;
  const { finish, merge_method } = settings.approval;
  return [
    ['Iteration', `${state.iteration} of ${state.max_iterations}`],
    ['Attempt', `${state.attempts_used} of ${settings.attempts.max}`],
    ['Cost', costText(spentBefore(state))],
    ['Check', checkText(state)],
    ['When approved', finish !== 'ready' && `${finish}, ${merge_method}`],
    ['Waiting until', 'deadline' in standing && time(standing.deadline)],
    ['Requested by', state.requested_by.login],
    ['Replaces', replaces && pullLink(route, replaces.number)],
    ['Started over', restored && restoredText(restored)],
    ['Started', time(state.started_at)],
    ['Last event', time(state.updated_at)],
  ];
}

function restoredText({ at, by }: Restoration): Html {
  return html`${time(at)} by ${by}, because its ledger was lost`;
}

function checkText({ settings: { check, shared_by } }: State): Html {
  const shared =
    shared_by !== undefined && html`, shared by the branches <code>${shared_by.join(', ')}</code>`;
  return html`<code>${check}</code>${shared}`;
}

function checksSection({ checks, pull }: RunModel): Html {
  return section(
    'checks',
    'Check runs',
    html`<p class="muted">As GitHub shows them for ${shaCode(pull.head_sha)}.</p>`,
    whenLoaded(checks, (runs) =>
      runs.length === 0
        ? html`<p class="muted">There are none.</p>`
        : html`<ul class="plain">${runs.map(checkRow)}</ul>`,
    ),
  );
}

function checkRow({ id, name, title, status, conclusion, url }: CheckRun): Html {
  const verdict = conclusion ?? status;
  const tone = verdict === 'success' ? 'success' : verdict === 'failure' ? 'danger' : 'info';
  return html`<li id="check-${id}">${badge(verdict.replaceAll('_', ' '), tone)} ${externalLink(url, name)}
<span class="muted">${title}</span></li>`;
}

function changesSection({ run, speaker, view, input }: RunViewOptions): Html {
  const { route, pull, state, diff } = run;
  const known = 'value' in state ? state.value : undefined;
  const options: ChangesOptions = {
    ...{ view, path: pathOf(route), action: pathOf(route, 'comment'), web: pull.url, from: route.from },
    head: known?.head ?? '',
    iterations: known?.iterations ?? [],
    canSteer: known !== undefined && offersOf(known, speaker).offered.includes('steer'),
    remarking: input?.remarking,
  };
  return section('changes', 'Changes', known !== undefined && heldNote(known), changes(diff, options));
}

/** Whoever is asked about held work must not take the branch for it. */
function heldNote(state: State): Html | false {
  return (
    heldWork(state) !== undefined &&
    html`<p class="notice">These are the changes of the branch. What is held is not on it yet: its files are listed above.</p>`
  );
}

function iterationsSection({ route, state, events }: RunModel, web: string): Html {
  const work = 'value' in events ? endedWork(events.value) : [];
  return section(
    'iterations',
    'Iterations',
    whenLoaded(state, (known) => iterations(known, { web, path: pathOf(route), work })),
    whenLoaded(events, () => false),
  );
}

function logSections({ pull, conversation: comments, log }: RunModel): Html {
  return html`${section(
    'conversation',
    'Conversation',
    whenLoaded(comments, (model) => conversation(pull, model)),
  )}
${section('history', 'History', whenLoaded(log, history))}`;
}

/** What a view knows of an agent at work; `script`: the page's script shows it as it comes. */
type News = Progress | null | 'script';

/**
 * What is at work, or that CI is waited for. The element with `data-feed` belongs to the script, which no
 * refresh replaces.
 */
function atWork(route: IssueRoute, state: State, news: News): Html | false {
  const { standing, settings } = state;
  if (isAwaitingChecks(standing))
    return section('at-work', 'At work', prose(paragraphs(wordsOf(state).summary(state, ''))));
  if (!isLeased(standing)) return false;
  const { review } = settings;
  const follows =
    standing.phase === 'verifying' &&
    review !== undefined &&
    html`<p>If they pass, ${agentName(review.agent)} gives a second opinion.</p>`;
  return section(
    'at-work',
    'At work',
    html`<p>${phaseSentence(state)}</p>${follows}
<div id="at-work-news" data-feed="${pathOf(route, 'progress')}">${news !== 'script' && newsOf(news)}</div>`,
  );
}

const maxShown = 200;

/**
 * What has happened, newest first, as Git keeps it, but for what the run notes for itself; and how anyone
 * with a clone reads it.
 */
export function history({ ref, commits, omitted }: LedgerLog): Html {
  const told = commits.flatMap(({ at, subject }, index) =>
    subject === ownNote ? [] : [eventRow(visible(subject), at, omitted + index + 1)],
  );
  const shown = told.slice(-maxShown).toReversed();
  const older = told.length - shown.length + omitted;
  return html`<p id="record">Every step of this run is a commit in the repository, under <code>${ref}</code>.
No database has it; whoever can clone the repository can read it:</p>
<pre tabindex="0" aria-label="How to read it">git fetch origin ${ref}
git log --reverse --format=%s FETCH_HEAD</pre>
${table('What happened, newest first', ['what happened', 'when'], shown)}
${older > 0 && html`<p class="muted">There are ${older} older ones.</p>`}`;
}

function eventRow(subject: string, at: string, number: number): Html {
  return html`<tr id="event-${number}"><td class="prompt">${subject}</td><td class="when">${time(at)}</td></tr>`;
}

/** What the next step still needs, as in the reply to `/why`, and what people are asked to agree to. */
function missingView(state: State): Html | false {
  const parts = missingParts(state, markdown);
  if (parts.length === 0) return prose(missingText(state));
  const lines = parts.map((part) => `- ${part}`);
  // Whoever approves learns before it what that sets off.
  const merge = state.standing.phase === 'awaiting_approval' && mergeText(state);
  const text = paragraphs([under('Missing for the next step:', lines), merge]);
  return html`${prose(text)}${silence(state)}${request(state)}`;
}

/** The time is in the page; its script counts it down. */
function silence({ standing }: State): Html | false {
  if (standing.phase !== 'awaiting_approval' || standing.proceeds === undefined) return false;
  return html`<p>${badge('timed', 'info')} ${countdown(standing.proceeds.at)}, unless someone responds</p>`;
}

/** As programs find it in the state; cut where a command is very long. */
function request(state: State): Html | false {
  const asked = state.standing.phase === 'timed_out' ? null : approvalRequestOf(state);
  if (asked === null) return false;
  const { proposed_action, risk_level, created_at } = asked;
  return html`<p>Proposed: <span class="preserve-lines">${visible(proposed_action)}</span>, asked
${time(created_at)}, at ${risk_level} risk.</p>`;
}
