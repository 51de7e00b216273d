import type { AskedCall, GateHit } from '../steering/attempt-result.ts';
import { isCritical, mayKeepRemotely, rulesToAllow } from '../steering/permission/held-work.ts';
import { rulesOf } from '../steering/permission/tool-calls.ts';
import { type HeldWork, isAskingHuman } from '../steering/standing.ts';
import type { State } from '../steering/state.ts';
import { gateHitLine } from './gates.ts';
import { changesText, command, commit, compareLink } from './phrases.ts';
import {
  code,
  cut,
  fenced,
  firstLines,
  inertTitle,
  type Part,
  plain,
  said,
  timeText,
  under,
} from './sanitize.ts';

const maxHits = 50;

/** Why work is held, what it changes, where to see it, and what each answer means. */
export function permissionSummary(state: State, held: HeldWork, web: string): readonly Part[] {
  return [
    'The CI of this repository runs whatever is on the branch, with its secrets, before anybody has looked. ' +
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
  const here = isUnjudged ? 'nothing has judged all that is in it' : 'it touches secrets';
  const why = mayKeepRemotely(hits) ? 'GitHub did not accept it' : here;
  return `The commit is only on the machine where the agent ran, because ${why}.`;
}

function answersText(held: HeldWork): string {
  const rules = rulesToAllow(held);
  return `${command('allow')} pushes it and runs the verifiers; ${command('deny')} starts another attempt. ${alwaysText(rules, held.hits)}`;
}

/** What `/allow always` would mean for these rules, and who may answer. */
export function alwaysText(
  rules: readonly string[],
  hits: readonly GateHit[],
  same = rules.map((rule) => code(rule)).join(', '),
): string {
  const always =
    rules.length === 0
      ? `is the same here as ${command('allow')}: critical rules ask every time.`
      : `stops asking about ${same} in this run.`;
  const critical = hits.some(isCritical)
    ? ' Because of a critical rule, only someone with maintain or admin can answer.'
    : '';
  return `${code('/allow always')} ${always}${critical}`;
}

function refusalText({ run }: State, { refusal }: HeldWork): string {
  if (refusal === undefined) return '';
  const said = `GitHub refused to take it:\n\n${fenced(cut(refusal, 3000), 'text')}`;
  return `${said}\n\n${adviceFor(refusal, run.presenter)}`;
}

/** GitHub guards workflow files with a permission of their own. */
function adviceFor(refusal: string, presenter: 'app' | 'action'): string {
  if (!/workflows?\W+(?:permission|scope)/i.test(refusal))
    return `Once that is settled, use ${command('allow')} again.`;
  return presenter === 'app'
    ? `Grant ${code('workflows: write')} to the App under "Permissions & events" in its settings ` +
        `(and accept it for the installation), then use ${command('allow')} again.`
    : `A workflow's token can never change workflow files: push the commit yourself, or ${command('deny')} it.`;
}

/** How the agent waits before a call: held for a while, or stopped. */
export function callWait(state: Pick<State, 'standing'>): string {
  const { standing } = state;
  if (standing.phase === 'working' && standing.asking !== undefined)
    return `The agent waits until ${standing.asking.until}; if nobody has decided by then, it is stopped, and goes on when somebody has.`;
  if (!isAskingHuman(standing)) return '';
  return `The agent was stopped before this, and goes on from there with your decision. The run times out at ${timeText(standing.deadline)}.`;
}

/** What an agent wants to do, why people are asked, how it waits, and what each answer means. */
export function callSummary(call: AskedCall, wait: string): readonly string[] {
  const { command: line, hits, kind } = call;
  const what = line === undefined ? withoutCommand(call) : wholeCommand(line);
  const why =
    under('**Asked because of**', hits.slice(0, maxCallHits).map(gateHitLine)) ||
    `The configuration asks a human about every call of this kind (${code(`permissions.${keyOf(kind)}`)}).`;
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
    shown !== line && `A line that ends in ${fold} goes on in the next one.`,
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

/** In a title, where nothing is formatted. */
export function callTitle(call: AskedCall): string {
  return `Waiting for permission: ${inertTitle(call.command ?? call.title, 100)}`;
}

function callAnswers(call: AskedCall): string {
  const same = call.hits.length === 0 ? `calls of the kind ${call.kind}` : undefined;
  return (
    `${command('allow')} lets it go on with the call, ${command('deny')} without it; ` +
    `a reason after ${command('deny')} is told to it. ${alwaysText(rulesOf(call), call.hits, same)}`
  );
}
