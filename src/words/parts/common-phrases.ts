import { createHash } from 'node:crypto';
import { waysIn } from '../../steering/approval/authorization.ts';
import { awaitedChecks } from '../../steering/approval/ci-results.ts';
import { type CommandName, commandSpecs, isQuery, queryCommands } from '../../steering/commands/index.ts';
import { isCiSkipped, iterationShown, stageOf, stagesOf } from '../../steering/iterations/iteration.ts';
import type { Superseding } from '../../steering/iterations/step.ts';
import { sayableIn, supersededBy } from '../../steering/phases/table.ts';
import { either, shortSha } from '../../steering/phrases/phrases.ts';
import type { Changes, FileChange, VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import { type Component, isEvidence } from '../../steering/shapes/score.ts';
import type { Paused, PauseReason } from '../../steering/shapes/standing.ts';
import type { AttemptRecord, State } from '../../steering/state/state.ts';
import { visible } from '../../text/characters.ts';
import { code, cut, firstLines, plain, said, timeText, under } from './sanitize.ts';

/** Phrases shared by several texts. */

/** `/approve`, as people type it. */
export function command(name: CommandName): string {
  return code(`/${name}`);
}

/** How to go on once something in the configuration is right. */
export const thenRetry = `on the default branch, then use ${code('/retry')}.`;

export const ciHasNotRun = 'CI has not run on this commit';

/** The path of the configuration of a run. */
export function configFile({ settings }: Pick<State, 'settings'>): string {
  return code(settings.file ?? '.github/coxswain.yml');
}

/** Leaves out the available commands that change nothing. */
export function acting(possible: readonly CommandName[]): readonly CommandName[] {
  return possible.filter((name) => !isQuery(name));
}

/** The commands available now, one per line with what each does. */
export function commandList(state: State): string {
  const lines = acting(sayableIn(state)).map(
    (name) => `- ${code(commandSpecs[name].usage)}: ${commandSpecs[name].summary}`,
  );
  if (lines.length === 0)
    return `The run has ended. You can still use ${queryCommands.map(command).join(', ')}.`;
  return `Available now (and ${queryCommands.map(command).join(', ')} at any time):\n\n${lines.join('\n')}`;
}

/** Lists the changed files, one per line. */
export function changesText({ run }: State, { files, omitted, summary }: Changes, maxFiles = 50): string {
  const head = `**${plain(run.repo)}**: ${plain(summary)}`;
  const lines = firstLines(files, maxFiles, (file) => `- ${code(fileLine(file), 600)}`, omitted);
  return files.length === 0 ? head : under(head, lines);
}

/** Says how the commit under review can be approved, as the end of a sentence. */
export function approveAgain(state: State, head: string): string {
  const { pushed_while_shown, base_left_while_shown } = state;
  const ways = waysIn(state);
  const isNamed = pushed_while_shown || base_left_while_shown;
  if (!isNamed && ways.includes('comment')) return `${command('approve')} it`;
  const exact = ways.filter((way) => way !== 'review' || !base_left_while_shown || ways.length === 1);
  const texts = { button: 'the button', review: 'a review', comment: code(`/approve ${head}`) };
  return `approve it with ${either(exact.map((way) => texts[way]))}`;
}

/** Says that the CI of the repository waits; empty if it does not. */
export function ciText(state: State): string {
  if (!isCiSkipped(state)) return '';
  return `${ciHasNotRun} (${code('ci: after_look')}): once you have reviewed it, ${code('/verify --ci')} starts CI.`;
}

/** Says that nothing contained what ran; empty if a sandbox did. */
export function sandboxText({ unsandboxed }: State): string {
  return unsandboxed ? `**No sandbox**: ${withoutSandbox}` : '';
}

const withoutSandbox =
  'agents or verifiers of this run have run with the permissions of Coxswain itself, ' +
  'so they could read and change whatever it can on that machine.';

/** `src/a.ts (modified, +30/-5)` */
export function fileLine(file: FileChange): string {
  return `${paths(file)} (${file.status}, ${counts(file)})`;
}

/** `modified src/a.ts (+30/-5)` */
export function fileStatusLine(file: FileChange): string {
  return `${file.status} ${paths(file)} (${counts(file)})`;
}

/** `0.87`, always with two decimals. */
export function scoreText(score: number): string {
  // Rounded down: 0.799999 is medium and must not read as high.
  return (Math.floor(score * 100 + 1e-9) / 100).toFixed(2);
}

/**
 * Says what to do about a rule of the repository that forbids our push, by what the repository said. `signs`:
 * our own commits are signed where a rule demands it.
 */
export function remedyForPush(said: string, signs = false): string {
  if (/^could not have \S+ signed/.test(said)) return unsignedRemedy;
  if (!/must have verified signatures/i.test(said)) return ruleRemedy;
  return signs
    ? `GitHub signs what Coxswain commits, but not the commits of the base that come with it. ${ruleRemedy}`
    : 'Write `commits: {sign: github}` in the configuration, and GitHub signs them.';
}

/** What to do where commits have to be signed, and the server does not sign them. */
export const unsignedRemedy =
  'To work with unsigned commits instead, exclude `coxswain/**` from the rule that demands signatures, and ' +
  'write `commits: {sign: off}`. If a rule of the base demands them, too, let Coxswain squash what it merges ' +
  '(`approval: {finish: merge, merge_method: squash}`): GitHub signs that.';

const ruleRemedy =
  'Exclude `coxswain/**` from the rule. Do not put the App on its bypass list: ' +
  'otherwise the rule would not apply to anything an agent wrote.';

/** Why a run is paused. */
const pauseTexts: { readonly [R in PauseReason]: string } = {
  asked: 'Somebody paused it.',
  branch_deleted: 'The branch was deleted; restore it first.',
  reopened: 'The pull request was reopened after the run had ended.',
  rate_limit: 'Its model has hit its usage limit.',
  model_unavailable: 'Its model failed.',
  ledger_lost: "The run's ledger is lost; approvals are void.",
};

/** What follows from the confidence, where nothing else explains it. */
export const decisionTexts = {
  wait: 'A human has to decide.',
  wait_with_timeout: 'It proceeds automatically unless a human objects in time.',
  abort: 'It does not continue automatically.',
};

/** How an attempt ended. */
export const outcomeTexts: { readonly [O in AttemptRecord['outcome']]: string } = {
  green: 'passed',
  red: 'verifiers failed',
  failed: 'no result',
};

interface Verdict {
  readonly name: string;
  readonly success: boolean;
  readonly required?: boolean;
}

/**
 * `test failed; flaky failed, which is not required`; empty if all passed. Older versions did not record what
 * is required, but where the whole passed, nothing that failed was.
 */
export function failedText(
  verifiers: readonly Verdict[],
  { passed, name = (plainName) => plainName }: { passed: boolean; name?: (plainName: string) => string },
): string {
  const failing = verifiers.filter(({ success }) => !success);
  const isOptional = ({ required }: Verdict) => passed || required === false;
  const named = (those: readonly Verdict[]) => those.map((each) => name(each.name)).join(', ');
  const needed = named(failing.filter((each) => !isOptional(each)));
  const optional = named(failing.filter(isOptional));
  return said([needed && `${needed} failed`, optional && `${optional} failed, which is not required`]).join(
    '; ',
  );
}

/** `1.00`, and whether that is only assumed. */
export function valueText(component: Component): string {
  return `${scoreText(component.value)}${isEvidence(component) ? '' : ' (assumed)'}`;
}

/**
 * Says what a component of the confidence rests on, also as older versions recorded it. Nobody but the agent
 * says what became of its tool calls.
 */
export function evidenceText(component: Component): string {
  const { name, evidence } = component;
  if (isEvidence(component)) return name === 'tool_calls' ? `${evidence} (${agentsWord})` : evidence;
  return evidence.includes('no evidence') ? evidence : `${evidence}, which counts as no evidence`;
}

/** Says why the score is not higher. */
export function capText(cap: string): string {
  return cap.startsWith('the agent is uncertain') ? `${cap} (${agentsWord})` : cap;
}

/** Marks what only the agent says of itself. */
export const agentsWord = "the agent's word";

/** `iteration 1 of 5, attempt 2` */
export function iterationText(state: State): string {
  const attempt = state.attempt === 0 ? '' : `, attempt ${state.attempt}`;
  return `iteration ${state.iteration} of ${state.max_iterations}${attempt}`;
}

function paths({ path, previous_path }: FileChange): string {
  return previous_path === undefined ? pathText(path) : `${pathText(path)} from ${pathText(previous_path)}`;
}

function counts({ binary, additions, deletions }: FileChange): string {
  return binary ? 'binary' : `+${additions}/-${deletions}`;
}

/** A path on one line, cut at a length that still tells it apart from others. */
function pathText(path: string): string {
  return onOneLine(path, 250);
}

function onOneLine(text: string, most: number): string {
  return cut(visible(text).replace(/\s/g, ' '), most);
}

/** Says why a run is paused, as plain text: what a person said about it is theirs. */
export function pauseText(
  { why, asked, until }: Paused,
  { updated_at, attempts }: Pick<State, 'updated_at' | 'attempts'>,
): string {
  const said = why === 'model_unavailable' ? attempts.at(-1)?.failure?.message : undefined;
  const reason =
    said === undefined ? pauseTexts[why] : `Its model failed: ${onOneLine(said.replace(/\.$/, ''), 500)}.`;
  if (until !== undefined) return `${reason} ${waitText(until, updated_at)}`;
  if (asked === undefined) return pauseTexts[why];
  return asked.reason === '' ? `Paused by ${asked.by}.` : `Paused by ${asked.by}: ${asked.reason}`;
}

const longWaitMs = 8 * 3600 * 1000;

/** A long wait is for people to know, who may have another model. */
function waitText(until: string, now: string): string {
  const isLong = Date.parse(until) - Date.parse(now) > longWaitMs;
  const warning = isLong ? ' Warning: that is more than 8 hours away.' : '';
  return `It continues automatically at ${timeText(until)}; nobody has to do anything.${warning}`;
}

/** The pull request of a run; `web` is the repository's address, such as `https://github.com/acme/api`. */
export function pullLink(web: string, state: State, tab?: 'files' | 'checks'): string {
  const pull = `${web}/pull/${state.run.number}`;
  return tab === undefined ? pull : `${pull}/${tab}`;
}

export function compareLink(web: string, from: string, to: string): string {
  return `${web}/compare/${encodeURIComponent(from)}...${encodeURIComponent(to)}`;
}

/** A place in a file at a commit. */
interface Spot {
  readonly path: string;
  /** It counts from 1. */
  readonly line?: number | undefined;
  readonly head: string;
  /** Whether the pull request changes the file. */
  readonly isInDiff: boolean;
}

/** The file among the changes of the pull request, or else as it is at the commit. */
export function fileLink(web: string, state: State, { path, line, head, isInDiff }: Spot): string {
  if (isInDiff) {
    // GitHub names each file of a diff by a hash of its path.
    const file = createHash('sha256').update(path).digest('hex');
    return `${pullLink(web, state, 'files')}#diff-${file}${line === undefined ? '' : `R${line}`}`;
  }
  return blobLink(web, head, { path, line });
}

/** The file as it is at a commit. */
export function blobLink(web: string, head: string, { path, line }: Pick<Spot, 'path' | 'line'>): string {
  const steps = path.split('/').map(inAddress).join('/');
  return `${web}/blob/${head}/${steps}${line === undefined ? '' : `#L${line}`}`;
}

/** What Markdown takes for the end of an address is encoded, too. */
function inAddress(text: string): string {
  return encodeURIComponent(text).replace(/[()*'!~]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
}

/** A commit's short name as inline code. */
export function commit(sha: string): string {
  return code(shortSha(sha));
}

/** The checks of CI that a run waits for, each in a line of plain text; none if it waits for none. */
export function awaitedLines(state: State): readonly string[] {
  return awaitedChecks(state).map(({ spec, until, seen }) => {
    const status = seen === undefined ? 'not reported yet' : statusText(seen.status);
    const looks = state.run.presenter === 'action' ? looksAtSchedule : '';
    return `waits for ${spec.check} until ${until.slice(11, 16)} UTC (by ${spec.app}; ${status}${looks})`;
  });
}

/** No webhook tells the Action of a check that ends. */
const looksAtSchedule =
  '; checked when the Coxswain workflow runs for this pull request, and on its schedule';

/** Says how a verifier ended: its exit code, or what GitHub calls the end of a check of CI. */
export function endText({ exit_code, check }: Pick<VerifierOutput, 'exit_code' | 'check'>): string {
  return check === undefined ? `exit code ${exit_code}` : checkEnd(check);
}

/** Says it in Markdown, with a link to the check. */
export function endLink({ exit_code, check }: VerifierOutput): string {
  if (check === undefined) return `exit code ${exit_code}`;
  const text = plain(checkEnd(check));
  return check.url === undefined ? text : `[${text}](${check.url})`;
}

function checkEnd({ name, status, conclusion }: NonNullable<VerifierOutput['check']>): string {
  return `${name}: ${statusText(conclusion ?? status)}`;
}

function statusText(word: string): string {
  return word.replaceAll('_', ' ');
}

/**
 * Says of which commit the evidence is that is shown beside newer work; empty where it is of what the run is
 * about now, or where there is none.
 */
export function supersededText(state: State): string {
  const by = supersededBy(state);
  if (state.shown === null || by === undefined) return '';
  const made = iterationShown(state);
  return `This is from iteration ${made}, commit ${shortSha(state.head)}; ${nowText(by, state, made)}.`;
}

/** Says what the run is about instead; the same from when work is due until it is done. */
function nowText(by: Superseding, { iteration }: Pick<State, 'iteration'>, made: number): string {
  switch (by) {
    case 'attempt':
      return iteration === made ? 'another attempt is in progress' : `iteration ${iteration} is in progress`;
    case 'stage':
      return `iteration ${iteration} waits for the approval of a stage`;
    case 'stopped_agent':
      return `iteration ${iteration} continues once people have answered its agent`;
    case 'verification':
      return 'the verifiers will run again';
    case 'held_work':
      return 'newer work is not on the branch yet';
    case 'no_commit':
      return `iteration ${iteration} has put no commit on the branch`;
  }
}

const maxListed = 5;

/** Where the work of this iteration is that did not get onto the branch; empty if all of it did. */
export function keptText({ attempts }: Pick<State, 'attempts'>): string {
  const refused = attempts.filter(({ failure }) => isRefused(failure)).slice(-maxListed);
  const lines = refused.map(({ attempt, kept_ref }) =>
    kept_ref === undefined
      ? `- Attempt ${attempt}: it may still exist on the machine where the agent ran, and nowhere else.`
      : `- Attempt ${attempt}: ${code(`git fetch origin ${kept_ref}`)}, then ${code(`git cherry-pick ${commitIn(kept_ref)}`)}.`,
  );
  return under('**Work that is not on the branch**', lines);
}

/** The ref is named after it. What the ref points to by now, whoever may push can have chosen. */
function commitIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

function isRefused(failure: AttemptRecord['failure']): boolean {
  return failure?.kind === 'push_refused' || failure?.kind === 'branch_moved';
}

/** Which stage is at work, for a sentence about the attempt; empty where there is only one. */
export function ofStage({ settings, stage }: Pick<State, 'settings' | 'stage'>): string {
  if (stagesOf(settings).length < 2) return '';
  return `, stage ${plain(stageOf({ settings, ...(stage !== undefined && { stage }) }).name)}`;
}
