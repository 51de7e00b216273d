import { graveConcerns, openConcerns, reviewOf } from '../../steering/confidence/evaluation.ts';
import { iterationsLeft } from '../../steering/iterations/iteration.ts';
import { possibleIn, supersededBy } from '../../steering/phases/table.ts';
import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import { riskOf, severities } from '../../steering/shapes/gate-rules.ts';
import type { Concern, Evaluation, Review, State } from '../../steering/state/state.ts';
import { visible } from '../../text/characters.ts';
import { fileLink, scoreText } from './common-phrases.ts';
import {
  code,
  type Format,
  fenced,
  firstLines,
  literal,
  markdown,
  oneLine,
  type Part,
  paragraphs,
  plain,
  said,
  under,
} from './sanitize.ts';

/** A comment has less room than a check run, and more in it. */
const maxHits = { check: 50, comment: 15, page: 100 };

type Gated = Pick<Evaluation, 'gates' | 'gates_off' | 'head_sha' | 'changes'>;

/** A run is on GitHub at the address of its repository, `web`. */
interface Place {
  readonly state: State;
  readonly web: string;
  /** It is said there; by default in a check. */
  readonly on?: keyof typeof maxHits;
}

/**
 * The risk in one word, with the gates that it comes from, worst first, and what approving would let happen;
 * then the rules that are switched off. No score changes any of it.
 */
export function gatesText(shown: Gated, place: Place): string {
  return paragraphs([riskText(shown, place), offText(shown)]);
}

function riskText(shown: Gated, place: Place): string {
  const { gates } = shown;
  if (gates.length === 0) return '**Risk** low: no gate was triggered.';
  const max = maxHits[place.on ?? 'check'];
  const listed = worstFirst(gates).slice(0, max);
  const groups = severities.toReversed().flatMap((severity) => {
    const hits = listed.filter((hit) => hit.severity === severity);
    return hits.length === 0
      ? []
      : [`- ${severity}`, ...hits.map((hit) => `  ${hitLine(hit, shown, place)}`)];
  });
  const more = gates.length > max && `- and ${gates.length - max} more`;
  const head = `**Risk** ${riskOf(gates)}, from these gates, regardless of the confidence:`;
  return under(head, said([...groups, more]));
}

export function worstFirst(gates: readonly GateHit[]): readonly GateHit[] {
  const worse = (hit: GateHit) => severities.indexOf(hit.severity);
  return gates.toSorted((one, other) => worse(other) - worse(one));
}

/** `deletes src/a.ts:3`, `weakens tests in test/a.test.ts`, for where there is room for no more. */
export function gateName({ rule, path, line }: GateHit): string {
  const name = rule.replaceAll('-', ' ');
  if (path === undefined) return name;
  const place = visible(line === undefined ? path : `${path}:${line}`);
  return rule === 'deletes-files' ? `deletes ${place}` : `${name} in ${place}`;
}

function hitLine(hit: GateHit, { changes, head_sha }: Gated, { state, web, on }: Place): string {
  const { path, line } = hit;
  const isInDiff = changes.files.some((file) => file.path === path);
  const address = fileLink(web, state, { path: path ?? '', line, head: head_sha, isInDiff });
  const max = on === 'page' ? 4000 : 500;
  const what = evidenceText(hit, { linked: (spot) => `[${spot}](${address})`, max });
  return `- ${code(hit.rule)}${what}${allowsText(hit, 'Approving')}`;
}

/** It is about what is not on the branch yet. */
export function gateHitLine(hit: GateHit): string {
  return gateLine(hit, 'Allowing');
}

/** ``- `deletes-files` (high): `src/a.ts` is deleted``, with what an answer would let happen. */
function gateLine(hit: GateHit, answer: 'Allowing' | 'Approving'): string {
  const { rule, severity } = hit;
  const what = evidenceText(hit, { linked: (spot) => spot, max: 500 });
  return `- ${code(rule)} (${severity})${what}${allowsText(hit, answer)}`;
}

/** Says what was found and where, in the evidence's own words if these begin with the place. */
function evidenceText(
  hit: GateHit,
  { linked, max }: { readonly linked: (spot: string) => string; readonly max: number },
): string {
  const { place, joint, text } = shownHit(hit);
  const what = plain(text, max);
  if (place === undefined) return `: ${what}`;
  const spot = linked(code(place, 250));
  return joint === undefined ? ` in ${spot}: ${what}` : `: ${spot}${joint}${what}`;
}

function allowsText({ allows }: GateHit, answer: string): string {
  return allows === undefined ? '' : `. ${answer} it means: ${plain(allows, 300)}.`;
}

function offText({ gates_off = [] }: Gated): string {
  const lines = gates_off
    .slice(0, maxHits.check)
    .map(({ rule, reason }) => `- ${code(rule)}: ${plain(reason, 500)}`);
  return under('Switched off by the configuration:', lines);
}

/**
 * A hit as it is shown beside its place, such as `src/a.ts:3`, if it is about a file. Evidence is also read
 * where nothing stands beside it, so it mostly begins with its place; a line that links to the place would
 * say it twice. The joint stands between the place and the text, where the evidence begins with the place.
 */
function shownHit({ evidence, path, line }: GateHit) {
  if (path === undefined) return { text: evidence };
  const place = line === undefined ? path : `${path}:${line}`;
  const rest = evidence.startsWith(place) ? evidence.slice(place.length) : '';
  const joint = [': ', ' '].find((each) => rest.startsWith(each));
  return joint === undefined ? { place, text: evidence } : { place, joint, text: rest.slice(joint.length) };
}

/** What people read of a second opinion. */

const maxConcerns = { comment: 20, check: 20, page: 100 };

/**
 * The opinion on the head with what it is concerned about; empty if nobody was asked for one. Where people
 * write comments, it says what they can do about it; a page also tells of the concerns that are settled.
 */
export function reviewText(state: State, on: 'comment' | 'check' | 'page'): string {
  const review = reviewOf(state, state.head);
  if (review === undefined) return '';
  const open = openConcerns(review);
  const line = (concern: Concern) => concernLine(concern, on === 'page' ? 4000 : 300);
  return paragraphs([
    on !== 'page' && '**Second opinion**',
    opinionLine(review, markdown),
    firstLines(on === 'page' ? review.concerns : open, maxConcerns[on], line, review.omitted).join('\n'),
    ...(on === 'comment' ? settlingText(state, open) : []),
  ]);
}

/** Says what people can do about the concerns, if they can do it now. */
function settlingText(state: State, open: readonly Concern[]): readonly Part[] {
  const possible = possibleIn(state);
  const [worst] = open;
  if (worst === undefined || supersededBy(state) !== undefined) return [];
  return [
    possible.includes('steer') &&
      iterationsLeft(state) &&
      under('To have these addressed, copy this into a comment:', [fenced(steerFor(open))]),
    possible.includes('dismiss') &&
      `If a concern is mistaken, ${code(`/dismiss ${worst.id} <why>`)} settles it.`,
  ];
}

/** Says how sure the reviewer is, or that it gave no opinion. */
function opinionLine({ by, confidence, problem, concerns }: Review, { text }: Format): string {
  if (confidence === null)
    return `${text(by)} was asked but gave no usable opinion: ${text((problem ?? 'it said nothing').replace(/\.$/, ''))}.`;
  const open = concerns.filter(({ state }) => state === 'open').length;
  const what = open === 0 ? 'no open concerns' : open === 1 ? '1 open concern' : `${open} open concerns`;
  return `${text(by)} reviewed the change. Its confidence is ${scoreText(confidence)}, with ${what}.`;
}

/** Each line is for where nothing is formatted; there are none if nobody was asked for an opinion. */
export function reviewLines(state: State): readonly string[] {
  const review = reviewOf(state, state.head);
  if (review === undefined) return [];
  const line = ({ id, severity, text, ...place }: Concern) =>
    `  ${id} (${severity}): ${oneLine(`${placeOf(place)}: ${text}`, 300)}`;
  const lines = firstLines(openConcerns(review), maxConcerns.check, line, review.omitted);
  return [`Second opinion: ${oneLine(opinionLine(review, literal), 600)}`, ...lines];
}

/** Says what another agent and the gates find grave, for who is about to approve; empty if nothing is. */
export function spiteText(state: State): string {
  const grave = firstLines(graveConcerns(reviewOf(state, state.head)), maxNoticed, (each) =>
    concernLine(each, 300),
  );
  const line = (hit: GateHit) => gateLine(hit, 'Approving');
  const gates = firstLines(worstFirst(state.shown?.gates ?? []), maxNoticed, line);
  return under('Before you approve, look at these findings:', [...grave, ...gates]);
}

const maxNoticed = 5;

function concernLine(concern: Concern, max: number): string {
  const { id, severity, text } = concern;
  return `- **${id}** ${severity}${settledText(concern)}: ${code(placeOf(concern), 200)} ${plain(text, max)}`;
}

/** Says what became of a concern that is no longer open. */
function settledText({ state, dismissed }: Concern): string {
  if (state === 'open') return '';
  const why = dismissed?.why ? `: ${plain(dismissed.why, 1000)}` : '';
  return ` (${state}${dismissed === undefined ? '' : ` by ${plain(dismissed.by)}${why}`})`;
}

/** `src/a.js:3` */
function placeOf({ file, line }: Pick<Concern, 'file' | 'line'>): string {
  return line === undefined ? file : `${file}:${line}`;
}

/**
 * A steer that has the agent deal with these concerns. What a reviewer wrote stands in a fence, each in one
 * line: whoever posts it says no other command with it, mentions nobody and links to nothing.
 */
export function steerFor(concerns: readonly Concern[]): string {
  const lines = concerns
    .slice(0, maxConcerns.comment)
    .map(({ text, ...place }) => `- ${oneLine(placeOf(place), 200)}: ${oneLine(text, 400)}`);
  return `/steer Deal with what the second opinion found:\n\n${fenced(lines.join('\n'), 'text')}`;
}
