import { isHost, isModelHost, nameOf, yamlList } from '../../config/schema/hosts.ts';
import { isReach } from '../../config/schema/network-keys.ts';
import { isWithin, uses } from '../../config/schema/operator-bounds.ts';
import type { BlockedHost } from '../../steering/shapes/attempt-result.ts';
import type { Settings, Use } from '../../steering/shapes/settings.ts';
import type { Evaluation, State } from '../../steering/state/state.ts';
import {
  changesText,
  ciText,
  commit,
  compareLink,
  configFile,
  endLink,
  keptText,
  sandboxText,
} from './common-phrases.ts';
import { confidenceLine, namesRedBefore, proofText } from './confidence.ts';
import { gatesText, reviewText } from './risk.ts';
import { code, firstLines, markdown, type Part, paragraphs, plain, quoted, said, under } from './sanitize.ts';
import { runsText, testsText } from './tests.ts';

const maxVerifiers = 50;

/** Says what is known of the work, as both questions about it say it. */
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

/** Says what the agent wanted to know although nobody can be asked: a steer can say it. */
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
  const known = namesRedBefore(shown);
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

/**
 * The hosts that programs wanted and did not get, each with the command, and what would allow them; empty if
 * there are none.
 */
export function blockedText(state: State): string {
  const { blocked = [] } = state;
  if (blocked.length === 0) return '';
  const allowing = allowingText(blocked, state);
  const [first] = blocked;
  if (blocked.length === 1 && first !== undefined)
    return `**Blocked**: ${wanted(first, state)}. ${allowing}`.trim();
  const lines = blocked.map((each) => `- ${wanted(each, state)}`);
  return paragraphs([under('**Blocked**', lines), allowing]);
}

function wanted(blocked: BlockedHost, { settings, run }: State): string {
  const { host, command, use, why } = blocked;
  const by = command === '' ? `by the ${programs[use]}` : `by ${code(command, 200)} (${programs[use]})`;
  const known = `${code(host, 260)}, requested ${by}`;
  if (why === 'private')
    return `${known}: it resolves to a private address, ${privateAnswers[run.presenter]}`;
  if (isOfModel(blocked))
    return `${known}: models can be reached only through our endpoint (the word ${code('model')} for the agent)`;
  if (!isHost(host)) return `${known}: only hosts with a full name can be allowed`;
  return mayBeListed(blocked, settings) ? known : `${known}: ${onlyOperator} allow it`;
}

function isOfModel({ host, why }: BlockedHost): boolean {
  return why === 'model' || isModelHost(nameOf(host));
}

/** Whether the operator's bound, if there is one, has the host. */
function mayBeListed({ host, use }: BlockedHost, { most }: Settings): boolean {
  return most?.network === undefined || isWithin(most.network[use], host.toLowerCase());
}

const onlyOperator = 'only the operator of Coxswain can';

/** The Action has no operator. */
const privateAnswers: { readonly [P in State['run']['presenter']]: string } = {
  app: `which ${onlyOperator} allow`,
  action: 'which cannot be allowed in the Action',
};

const programs: { readonly [U in Use]: string } = {
  setup: 'setup',
  agent: 'agent',
  verifiers: 'verifiers',
};

/**
 * The configuration that keeps what is allowed already; empty where there is no file, or where the line would
 * make it invalid.
 */
function allowingText(blocked: readonly BlockedHost[], { settings }: State): string {
  if (settings.inputs !== undefined) return '';
  const missing = blocked.filter(
    (each) => each.why === 'unlisted' && isHost(each.host) && !isOfModel(each) && mayBeListed(each, settings),
  );
  const reaches = uses.flatMap((use) => {
    const hosts = missing.filter((each) => each.use === use).map(({ host }) => host.toLowerCase());
    const reach = [...new Set([...settings.network[use], ...hosts])];
    return hosts.length > 0 && isReach(use, reach) ? [{ use, reach, count: hosts.length }] : [];
  });
  if (reaches.length === 0) return '';
  const line = `network: { ${reaches.map(({ use, reach }) => `${use}: ${yamlList(reach)}`).join(', ')} }`;
  const those = reaches.reduce((sum, { count }) => sum + count, 0) === 1 ? 'it' : 'them';
  // Hosts are known to be names here, so nothing is lost by the length.
  return `To allow ${those}: ${code(line, 10_000)} in ${configFile({ settings })}.`;
}

/** Says what people should know about how the programs ran, in small type; empty if there is nothing. */
export function noticesText({ notices = [] }: State): string {
  return notices.map((each) => `<sub>${plain(each, 500)}</sub>`).join('\n\n');
}
