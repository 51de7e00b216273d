import type { GateHit } from '../../steering/attempt-result.ts';
import { riskOf, severities } from '../../steering/confidence/severity.ts';
import type { Evaluation, State } from '../../steering/state.ts';
import { fileLink } from './links.ts';
import { code, plain } from './sanitize.ts';

/** A comment has less room than a check run, and more in it. */
const maxHits = { check: 50, comment: 15 };

type Gated = Pick<Evaluation, 'gates' | 'gates_off' | 'head_sha' | 'changes'>;

/** Where a run is on GitHub; `web` is the address of its repository. */
export interface Place {
  readonly state: State;
  readonly web: string;
  /** Where it is said; default `check`. */
  readonly on?: keyof typeof maxHits;
}

/**
 * The risk in one word, with the gates that it comes from, worst first, and what approving would let happen;
 * then the rules that are switched off. No score changes any of it.
 */
export function gatesText(shown: Gated, place: Place): string {
  return [riskText(shown, place), offText(shown)].filter((part) => part !== '').join('\n\n');
}

function riskText(shown: Gated, place: Place): string {
  const { gates } = shown;
  if (gates.length === 0) return '**Risk** low: no gate was triggered.';
  const worstFirst = severities.toReversed();
  const sorted = worstFirst.flatMap((severity) => gates.filter((hit) => hit.severity === severity));
  const max = maxHits[place.on ?? 'check'];
  const listed = sorted.slice(0, max);
  const groups = worstFirst.flatMap((severity) => {
    const hits = listed.filter((hit) => hit.severity === severity);
    return hits.length === 0
      ? []
      : [`- ${severity}`, ...hits.map((hit) => `  ${hitLine(hit, shown, place)}`)];
  });
  const more = gates.length > max ? [`- and ${gates.length - max} more`] : [];
  const head = `**Risk** ${riskOf(gates)}, by these gates, whatever the confidence:`;
  return `${head}\n\n${[...groups, ...more].join('\n')}`;
}

function hitLine(hit: GateHit, { changes, head_sha }: Gated, { state, web }: Place): string {
  const { rule, evidence, path, line } = hit;
  const isInDiff = changes.files.some((file) => file.path === path);
  const spot = { path: path ?? '', line, head: head_sha, isInDiff };
  const where = path === undefined ? '' : ` in [${spotText(path, line)}](${fileLink(web, state, spot)})`;
  return `- ${code(rule)}${where}: ${plain(evidence, 500)}${allowsText(hit, 'Approving')}`;
}

/** ``- `deletes-files` (high) in `src/a.ts:3`: …``, for what is not on the branch yet. */
export function gateHitLine(hit: GateHit): string {
  const { rule, severity, evidence, path, line } = hit;
  const where = path === undefined ? '' : ` in ${spotText(path, line)}`;
  return `- ${code(rule)} (${severity})${where}: ${plain(evidence, 500)}${allowsText(hit, 'Allowing')}`;
}

/** `src/a.ts:3`, as inline code. */
function spotText(path: string, line: number | undefined): string {
  return code(line === undefined ? path : `${path}:${line}`, 250);
}

function allowsText({ allows }: GateHit, answer: string): string {
  return allows === undefined ? '' : `. ${answer} it means: ${plain(allows, 300)}.`;
}

function offText({ gates_off = [] }: Gated): string {
  const lines = gates_off
    .slice(0, maxHits.check)
    .map(({ rule, reason }) => `- ${code(rule)}: ${plain(reason, 500)}`);
  return lines.length === 0 ? '' : `Switched off by the configuration:\n\n${lines.join('\n')}`;
}
