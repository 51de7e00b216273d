import type { State } from '../../steering/state.ts';
import { failedText, outcomeTexts } from './phrases.ts';
import { codeInCell, plain } from './sanitize.ts';

/** The attempts so far in this iteration, so that nobody has to guess what was tried. */
export function attemptsText({ attempts }: State): string {
  if (attempts.length === 0) return '';
  const rows = attempts.slice(-20).map(({ attempt, outcome, failure, summary, verifiers }) => {
    const failing = failedText(verifiers, { passed: outcome === 'green', name: codeInCell });
    const said = summary === '' ? '' : `the agent says: ${plain(summary, 200)}`;
    const why = failure === null ? failing || said : plain(failure.message, 200);
    return `| ${attempt} | ${outcomeTexts[outcome]} | ${why} |`;
  });
  return ['| attempt | outcome | why |', '|---|---|---|', ...rows].join('\n');
}
