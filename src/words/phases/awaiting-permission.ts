import { generallyAdmitted } from '../../steering/approval/approval-needs.ts';
import { askedCall, heldWork } from '../../steering/iterations/interactions.ts';
import { rulesHit } from '../../steering/permission/permitted-calls.ts';
import { either, inAppSettings, shortSha } from '../../steering/phrases/phrases.ts';
import type { AskedCall, GateHit } from '../../steering/shapes/attempt-result.ts';
import { isCritical, mayKeepRemotely, rulesToAllow } from '../../steering/shapes/gate-rules.ts';
import { type HeldWork, isAskingHuman } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { whoText } from '../parts/approval-texts.ts';
import { closing, goesOnWith, parkedText } from '../parts/asking-texts.ts';
import {
  changesText,
  command,
  commandList,
  commit,
  compareLink,
  sandboxText,
} from '../parts/common-phrases.ts';
import { blockedText, summaryOf } from '../parts/evidence-texts.ts';
import { gateHitLine } from '../parts/risk.ts';
import {
  code,
  cut,
  type Format,
  fenced,
  firstLines,
  inertTitle,
  type Part,
  paragraphs,
  plain,
  said,
  timeText,
  under,
} from '../parts/sanitize.ts';
import { type Button, button, type PhaseWords } from './row.ts';

const maxHits = 50;

/**
 * What people read of work that is held, or of a tool call before which an agent is held or was stopped. The
 * two are told apart by whether there is a call.
 */
export const awaitingPermission: PhaseWords<'awaiting_permission'> = {
  title: (state) => {
    const call = askedCall(state);
    return call === undefined ? 'Waiting for permission to push' : callTitle(call);
  },
  summary: (state, web) => {
    const [call, held] = [askedCall(state), heldWork(state)];
    if (call !== undefined) return [...callSummary(call, callWait(state)), parkedText(state)];
    return held === undefined ? [] : permissionSummary(state, held, web);
  },
  status: ({ standing }) => [
    ...('call' in standing ? callLines(standing) : heldLines(standing.held)),
    `Deadline: ${timeText(standing.deadline)}`,
  ],
  missing: (state, format) => {
    const { standing } = state;
    const isCall = 'call' in standing;
    const { hits } = isCall ? standing.call : standing.held;
    return [
      `${deciding(state, hits, format)}, until ${timeText(standing.deadline)}`,
      isCall
        ? 'the agent was stopped before a tool call, and continues with the decision'
        : 'without it the held work stays off the branch',
    ];
  },
  ask: (state, web) => {
    const [call, held] = [askedCall(state), heldWork(state)];
    if (call !== undefined || held === undefined)
      return paragraphs([
        '### The agent asks for permission',
        ...awaitingPermission.summary(state, web),
        commandList(state),
        ...closing(state, web),
      ]);
    return paragraphs([
      '### Permission needed before this is pushed',
      summaryOf(held.work),
      ...permissionSummary(state, held, web),
      sandboxText(state),
      blockedText(state),
      commandList(state),
      ...closing(state, web),
    ]);
  },
  result: () => 'action_required',
  buttons: (state) => {
    const [call, held] = [askedCall(state), heldWork(state)];
    if (call === undefined)
      return answers(held === undefined ? [] : rulesToAllow(held), [
        button('allow_once', 'Allow once', 'Push this work to the branch'),
        button('allow_always', 'Always', 'Push it, and do not ask this again'),
        button('deny', 'Deny', 'Keep it off the branch'),
      ]);
    return answers(rulesHit(call), [
      button('allow_once', 'Allow once', 'Let the agent do this'),
      button('allow_always', 'Always', 'And do not ask this again'),
      button('deny', 'Deny', 'The agent continues without it'),
    ]);
  },
  tone: 'warning',
};

/** Nothing can be allowed for good where no rule, or only a critical one, asks. */
function answers(rules: readonly string[], all: readonly Button[]): readonly Button[] {
  return all.filter(({ identifier }) => identifier !== 'allow_always' || rules.length > 0);
}

/** Says who may allow or deny it, as a part of a sentence. */
export function deciding(state: State, hits: readonly GateHit[], format: Format): string {
  const who = hits.some(isCritical)
    ? 'someone with maintain access'
    : whoText(generallyAdmitted(state.settings.approval.by), format);
  return `${either([format.name('/allow'), format.name('/deny')])} by ${who}`;
}

/** The call as plain text, with why people are asked about it. */
export function callLines({ call, until }: { call?: AskedCall; until?: string } = {}): readonly string[] {
  if (call === undefined) return [];
  const lines = [`The agent asks: ${call.command ?? call.title}`, ...hitLines(call.hits)];
  return until === undefined ? lines : [...lines, `It waits until: ${timeText(until)}`];
}

function heldLines({ work, hits }: HeldWork): readonly string[] {
  return [`Held: ${shortSha(work.head)}, ${work.changes.summary}`, ...hitLines(hits)];
}

function hitLines(hits: readonly GateHit[]): readonly string[] {
  return hits.slice(0, maxLines).map(({ rule, evidence }) => `Because: ${rule}: ${evidence}`);
}

const maxLines = 100;

/** Says why work is held, what it changes, where to see it, and what each answer means. */
function permissionSummary(state: State, held: HeldWork, web: string): readonly Part[] {
  return [
    'CI runs whatever is on the branch, with the secrets of this repository, before anyone has reviewed it. ' +
      `So ${commit(held.work.head)} has not been pushed to the branch.`,
    refusalText(state, held),
    under('**Held because of**', firstLines(held.hits, maxHits, gateHitLine)),
    changesText(state, held.work.changes),
    whereText(state, held, web),
    answersText(held),
  ];
}

/** A commit outside of the branches can be compared by its full name. */
function whereText({ run }: State, { work, hits, kept }: HeldWork, web: string): string {
  if (kept !== null) return `[See what would be pushed](${compareLink(web, run.base, work.head)}).`;
  const isUnjudged = hits.some(({ rule }) => rule === 'unjudged');
  const here = isUnjudged ? 'not everything in it could be judged' : 'it touches secrets';
  const why = mayKeepRemotely(hits) ? 'GitHub did not accept it' : here;
  return `The commit is only on the machine where the agent ran, because ${why}.`;
}

function answersText(held: HeldWork): string {
  const rules = rulesToAllow(held);
  return `${command('allow')} pushes it and runs the verifiers; ${command('deny')} starts another attempt. ${alwaysText(rules, held.hits)}`;
}

/** Says what `/allow always` would mean for these rules, and who may answer. */
function alwaysText(
  rules: readonly string[],
  hits: readonly GateHit[],
  same = rules.map((rule) => code(rule)).join(', '),
): string {
  const always =
    rules.length === 0
      ? `is the same here as ${command('allow')}: critical rules ask every time.`
      : `stops asking about ${same} in this run.`;
  const critical = hits.some(isCritical)
    ? ' Because of a critical rule, only someone with maintain or admin access can answer.'
    : '';
  return `${code('/allow always')} ${always}${critical}`;
}

function refusalText({ run }: State, { refusal }: HeldWork): string {
  if (refusal === undefined) return '';
  const said = `GitHub rejected it:\n\n${fenced(cut(refusal, 3000), 'text')}`;
  return `${said}\n\n${adviceFor(refusal, run.presenter)}`;
}

/** GitHub guards workflow files with a permission of their own. */
function adviceFor(refusal: string, presenter: 'app' | 'action'): string {
  if (!/workflows?\W+(?:permission|scope)/i.test(refusal))
    return `Once that is settled, use ${command('allow')} again.`;
  return presenter === 'app'
    ? `Grant ${code('workflows: write')} ${inAppSettings}, then use ${command('allow')} again.`
    : `A workflow's token can never change workflow files: push the commit yourself, or ${command('deny')} it.`;
}

/** Says how the agent waits before a call: held for a while, or stopped. */
function callWait(state: Pick<State, 'standing'>): string {
  const { standing } = state;
  if (standing.phase === 'working' && standing.asking !== undefined)
    return `The agent waits until ${timeText(standing.asking.until)}; if nobody has decided by then, it is stopped, and continues once someone has.`;
  if (!isAskingHuman(standing)) return '';
  return `The agent was stopped before this, and ${goesOnWith('decision')}. The run times out at ${timeText(standing.deadline)}.`;
}

/** Says what an agent wants to do, why people are asked, how it waits, and what each answer means. */
export function callSummary(call: AskedCall, wait: string): readonly string[] {
  const { command: line, hits, kind } = call;
  const what = line === undefined ? withoutCommand(call) : wholeCommand(line);
  const why =
    under('**Asked because of**', hits.slice(0, maxCallHits).map(gateHitLine)) ||
    `The configuration has a human decide about every call of this kind (${code(`permissions.${keyOf(kind)}`)}).`;
  return [...what, why, wait, callAnswers(call)];
}

const maxCallHits = 20;

/** The key of `permissions` by which calls of a kind are decided. */
function keyOf(kind: string): string {
  return kind === 'edit' || kind === 'delete' || kind === 'move' ? kind : 'execute';
}

/** The title is the agent's own word, the files are what it names to its tool. */
function withoutCommand({ kind, title, paths = [] }: AskedCall): readonly string[] {
  const files = paths.map((path) => `- ${code(path, 300)}`);
  return [`**${plain(kind)}**: ${plain(title, 500)}`, files.join('\n')];
}

/** GitHub does not break the lines of code, so that the end of a long one would be out of sight. */
function wholeCommand(line: string): readonly string[] {
  const shown = cut(line, 4000).split('\n').map(folded).join('\n');
  return said([
    fenced(shown, 'sh'),
    shown !== line && `A line that ends in ${fold} continues on the next one.`,
  ]);
}

function folded(line: string): string {
  const points = [...line];
  const parts = Array.from({ length: Math.ceil(points.length / maxWidth) }, (_, index) =>
    points.slice(index * maxWidth, (index + 1) * maxWidth).join(''),
  );
  return parts.join(`${fold}\n`);
}

const fold = '↩';
const maxWidth = 100;

/** It stands in a title, where nothing is formatted. */
export function callTitle(call: AskedCall): string {
  return `Waiting for permission: ${inertTitle(call.command ?? call.title, 100)}`;
}

function callAnswers(call: AskedCall): string {
  const same = call.hits.length === 0 ? `calls of the kind ${call.kind}` : undefined;
  return (
    `${command('allow')} lets it continue with the call, ${command('deny')} without it; ` +
    `a reason after ${command('deny')} is passed on to it. ${alwaysText(rulesHit(call), call.hits, same)}`
  );
}
