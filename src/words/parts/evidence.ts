import type { Evaluation, State } from '../../steering/state/state.ts';
import { blockedText } from './blocked.ts';
import { confidenceLine } from './confidence.ts';
import { runsText } from './flaky.ts';
import { gatesText } from './gates.ts';
import { changesText, ciText, commit, compareLink, endLink, keptText, sandboxText } from './phrases.ts';
import { proofText, redBefore } from './proof.ts';
import { reviewText } from './review.ts';
import { code, firstLines, markdown, type Part, plain, quoted, said, under } from './sanitize.ts';
import { testsText } from './tests.ts';

const maxVerifiers = 50;

/** What is known of the work, as both questions about it say it. */
export function evidenceOf(state: State, web: string): readonly Part[] {
  const { shown } = state;
  return [
    ...(shown === null
      ? []
      : [
          ...[changesText(state, shown.changes), verifiersText(shown), proofText(shown)],
          ...[confidenceLine(state), gatesText(shown, { state, web, on: 'comment' })],
          reviewText(state, 'comment'),
        ]),
    ciText(state),
    sandboxText(state),
    blockedText(state),
    keptText(state),
    sinceText(state, web),
  ];
}

export function summaryOf({ report }: { readonly report: State['report'] }): string {
  const summary = report?.summary.trim() ?? '';
  return summary === '' ? '' : `In the words of the agent:\n\n${quoted(summary)}`;
}

/** What the agent wanted to know although nobody can be asked: a steer can say it. */
export function questionText({ report }: State): string {
  const question = report?.question?.trim() ?? '';
  if (question === '') return '';
  return `**The agent asks**\n\n${quoted(question)}`;
}

function verifiersText(shown: Evaluation): string {
  if (shown.verifiers.length === 0) return '**Verifiers**: none configured.';
  return under('**Verifiers**', verifierLines(shown));
}

/** The verifiers whose tests say why they are red, or contradict what they are; empty if there are none. */
export function failedTestsText(shown: Evaluation): string {
  const telling = shown.verifiers.filter(
    ({ success, tests }) => tests !== undefined && (!success || tests.failed > 0),
  );
  return under('**Tests**', verifierLines({ ...shown, verifiers: telling }));
}

function verifierLines(shown: Evaluation): readonly string[] {
  const known = redBefore(shown);
  return shown.verifiers.slice(0, maxVerifiers).map((output) => {
    const { success, name, verifier, timed_out, required } = output;
    const notes = said([
      endLink(output),
      testsText(output, markdown.name),
      timed_out && 'timed out',
      runsText(output),
      !required && 'not required',
      !success && known.includes(name) && 'red before this change',
    ]);
    return `- ${success ? 'pass' : '**fail**'} ${code(verifier)} (${notes.join(', ')})`;
  });
}

function sinceText({ iteration, iterations, shown, head }: State, web: string): string {
  const now = shown?.head_sha ?? head;
  const before = iterations.at(-1)?.head_before;
  if (iteration === 0 || before === undefined) return '';
  if (before === now) return 'Nothing has changed since the last iteration.';
  const link = compareLink(web, before, now);
  const { count = 0, newest = [] } = shown?.commits ?? {};
  if (count === 0) return `[Changes since the last iteration](${link})`;
  const line = ({ sha, subject }: (typeof newest)[number]) => `- ${commit(sha)} ${plain(subject, 200)}`;
  return under(
    `[${count === 1 ? '1 commit' : `${count} commits`} since the last iteration](${link})`,
    firstLines(newest, newest.length, line, Math.max(count - newest.length, 0)),
  );
}
