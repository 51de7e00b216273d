import type { AttemptRecord, State } from '../../steering/state.ts';
import { costText, durationText } from '../../text/amounts.ts';
import { failedText, outcomeTexts } from './phrases.ts';
import { codeInCell, plain } from './sanitize.ts';

const maxRows = 10;
const maxFiles = 3;
const maxFailed = 5;

/** The newest attempts of this iteration, so that nobody has to guess what was tried and why it failed. */
export function attemptsText({ attempts }: Pick<State, 'attempts'>): string {
  if (attempts.length === 0) return '';
  const rows = attempts.slice(-maxRows).map((record) => {
    const cells = [String(record.attempt), outcomeTexts[record.outcome], filesOf(record), whyOf(record)];
    return `| ${[...cells, durationText(record.duration_s), costText(record.cost ?? {})].join(' | ')} |`;
  });
  const heads = [
    '| attempt | outcome | changed | what failed first | time | cost |',
    '|---|---|---|---|---|---|',
  ];
  return [...heads, ...rows].join('\n');
}

function filesOf({ files = [] }: AttemptRecord): string {
  const named = files.slice(0, maxFiles).map((path) => codeInCell(path, 80));
  const more = files.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The first verifier that failed in its own words, or what stopped the agent. */
function whyOf({ outcome, failure, summary, verifiers }: AttemptRecord): string {
  if (failure !== null) return plain(failure.message, 200);
  const failed = verifiers.filter(({ success }) => !success);
  const failing = failedText(failed.slice(0, maxFailed), { passed: outcome === 'green', name: codeInCell });
  const said = failed.find((each) => each.said)?.said;
  if (failing !== '') return said === undefined ? failing : `${failing}: ${codeInCell(said, 160)}`;
  return summary === '' ? '' : `the agent says: ${plain(summary, 200)}`;
}
