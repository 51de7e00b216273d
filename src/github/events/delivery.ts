import { isOurWord, mayContainCommand } from '../markdown/command-words.ts';
import { branchPrefix, checkPrefix, hasLabel, isOurLabel, ourLabel } from '../names.ts';
import type { GitHubEvent, GitHubEventOf, Pull, Turned } from './github-event.ts';
import { PayloadUnreadable, readPayload } from './payloads.ts';

/** A webhook delivery with its parsed payload. */
export interface Delivery {
  /** The GUID that GitHub gave it. */
  readonly id: string;
  /** As in `X-GitHub-Event`. */
  readonly name: string;
  readonly payload: unknown;
}

/** What tells the pull requests of runs apart besides labels, which anyone with triage removes. */
export interface KnownRuns {
  /** The login under which we open pull requests. */
  readonly login: string;
  /** Whether a run with this number is open, in this repository if it is known. */
  isOpen(number: number, repository?: number): boolean;
  /** Whether a run in this repository may wait for this. */
  mayWait(repository: number, what: Turned): boolean;
}

/** What a process knows before it has read a ledger. */
export const noRuns: KnownRuns = {
  login: '',
  isOpen: () => false,
  mayWait: (_, what) => typeof what === 'number',
};

/**
 * Parses a delivery that may concern a run; undefined for all others. A payload that lacks documented
 * fields passes, so that its handler reports the error. Throws `SyntaxError` when the body is not JSON.
 */
export function readDelivery(
  { id, name }: Omit<Delivery, 'payload'>,
  body: Buffer,
  runs: KnownRuns,
): Delivery | undefined {
  if (!mayBeRelevant(name, body, runs)) return undefined;
  const delivery = { id, name, payload: JSON.parse(body.toString('utf8')) };
  try {
    return eventsIn(delivery, runs).length > 0 ? delivery : undefined;
  } catch (fault) {
    if (fault instanceof PayloadUnreadable) return delivery;
    throw fault;
  }
}

/**
 * The events of a delivery that may concern a run. Each payload is validated once: Probot passes on the same
 * object, so the result is cached by object. Throws `PayloadUnreadable`.
 */
export function eventsIn(
  { name, payload }: Pick<Delivery, 'name' | 'payload'>,
  runs: KnownRuns,
): readonly GitHubEvent[] {
  if (typeof payload !== 'object' || payload === null) return [];
  const known = read.get(payload);
  if (known !== undefined) return known;
  const events = readPayload(name, payload).filter((event) => isRelevant(event, runs));
  read.set(payload, events);
  return events;
}

const read = new WeakMap<object, readonly GitHubEvent[]>();

/**
 * Whether the payload contains a keyword that every relevant payload contains. Most deliveries of a busy
 * organization do not, so they are discarded without being parsed.
 */
function mayBeRelevant(name: string, body: Buffer, runs: KnownRuns): boolean {
  // Latin-1 is the fastest decoding, and the keywords are ASCII.
  return matchers.get(name)?.(body.toString('latin1'), runs) ?? false;
}

/** Looks for the keyword in the payload of one kind of event. */
type Matcher = (text: string, runs: KnownRuns) => boolean;

const matchers: ReadonlyMap<string, Matcher> = new Map([
  [
    'issue_comment',
    (text, runs) =>
      text.includes('\\u') || containsSlashWord(text) || namesRun(text, runs, /"pull_request": ?[{]/),
  ],
  ['issues', matcher(/"labeled"|"action": ?"(?:closed|reopened)"/)],
  [
    'pull_request',
    matcher(/coxswain|"action": ?"(?:opened|ready_for_review|synchronize|closed|reopened|edited)"/i),
  ],
  ['pull_request_review', (text, runs) => escapedLetter.test(text) || namesRun(text, runs)],
  ['check_run', matcher(/"requested_action"|"rerequested"|coxswain\//)],
  ['check_suite', matcher(/"rerequested"|coxswain\//)],
  ['merge_group', matcher(/"action": ?"(?:checks_requested|destroyed)"/)],
  ['push', (text, runs) => /coxswain/.test(text) || escapedLetter.test(text) || movesBase(text, runs)],
  ['installation', matcher(/"action": ?"(?:created|deleted)"/)],
  ['installation_repositories', matcher(/"action": ?"(?:added|removed)"/)],
  ['github_app_authorization', matcher(/"revoked"/)],
]);

/** Whether the payload may be about the pull request of a run: JSON escapes quotes in what people write. */
function namesRun(text: string, { login, isOpen }: KnownRuns, key?: RegExp): boolean {
  if (key?.test(text) === false) return false;
  if (/coxswain/i.test(text) || text.includes(`"${login}"`)) return true;
  return [...text.matchAll(/"number": ?(\d{1,9})/g)].some(([, number]) => isOpen(Number(number)));
}

/** Whether the payload is of a push for which a run may wait. */
function movesBase(text: string, runs: KnownRuns): boolean {
  const [, branch] = /"ref": ?"refs\/heads\/([^"]*)"/.exec(text) ?? [];
  const [, repository] = /"repository": ?[{]"id": ?(\d{1,15})/.exec(text) ?? [];
  return branch !== undefined && repository !== undefined && runs.mayWait(Number(repository), branch);
}

/** A letter written as `\u0063`: GitHub does not do this, but JSON allows it. */
const escapedLetter = /\\u00[4-7]/;

function matcher(word: RegExp): Matcher {
  return (text) => word.test(text) || escapedLetter.test(text);
}

/** A word that may be one of our commands, or one that invisible characters hide, which are not ASCII. */
const slashWord = /\/(?:[a-z]*[\x80-\xff]|([a-z][a-z-]{1,15})(?![\w-]))/iy;

/** Searching from slash to slash is three times as fast as searching with the expression alone. */
function containsSlashWord(text: string): boolean {
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at + 1)) {
    if (!mayStartLine(text[at - 1] ?? '"')) continue;
    slashWord.lastIndex = at;
    const found = slashWord.exec(text);
    if (found !== null && (found[1] === undefined || isOurWord(found[1]))) return true;
  }
  return false;
}

/**
 * A command starts its line, so in JSON it follows a quote, a blank, the letter of `\n`, `\r` or `\t`, or a
 * character that is not ASCII.
 */
function mayStartLine(before: string): boolean {
  return '" nrt\\'.includes(before) || before > '\x7f';
}

/**
 * Whether an event may concern a run or request one, or concerns the App as a whole; never false for anything
 * `translate` would use.
 */
export function isRelevant(incoming: GitHubEvent, runs: KnownRuns): boolean {
  switch (incoming.kind) {
    case 'comment':
      return (
        mayCommand(incoming) || (incoming.issue.is_pull && isOfPeople(incoming) && isOfRun(incoming, runs))
      );
    case 'review':
      return isOfPeople(incoming) && (isRun(incoming.pull) || isOfRun(incoming, runs));
    case 'click':
      return incoming.check_name.startsWith(checkPrefix);
    case 'recheck':
      return incoming.check_run?.name.startsWith(checkPrefix) ?? true;
    case 'pushed':
    case 'closed':
    case 'reopened':
    case 'retargeted':
    case 'body_edited':
    case 'enqueued':
    case 'dequeued':
      return isRun(incoming.pull);
    case 'dependency_turned':
      return runs.mayWait(incoming.repository.id, incoming.what);
    case 'relabeled':
      // Also where the label that marks a run was removed.
      return isOurLabel(incoming.label);
    case 'pull_changed':
      return !isRun(incoming.pull);
    case 'check_ended':
      // Ours are no news. A run on the branch of a person waits for the next sweep.
      return incoming.branch.startsWith(branchPrefix) && !incoming.check_name.startsWith(checkPrefix);
    case 'branch_deleted':
    case 'checks_passed':
      // A run on the branch of a person waits for the next sweep.
      return incoming.branch.startsWith(branchPrefix);
    case 'labeled':
    // Its check may be required, whoever the group is of.
    case 'merge_group':
    case 'installed':
    case 'authorization_revoked':
    case 'dispatch':
    case 'schedule':
      return true;
  }
}

type Words = GitHubEventOf<'comment' | 'review'>;

function mayCommand({ action, author, comment: { body, former } }: GitHubEventOf<'comment'>): boolean {
  const isUnknown = action === 'edited' && former === null;
  return !author.bot && (isUnknown || [body, former ?? ''].some(mayContainCommand));
}

/** People also change and delete what bots have said. */
function isOfPeople({ author, sender }: Words): boolean {
  return !author.bot || !sender.bot;
}

function isOfRun(incoming: Words, { login, isOpen }: KnownRuns): boolean {
  const { number, labels, opener } = incoming.kind === 'comment' ? incoming.issue : incoming.pull;
  return opener === login || hasLabel(labels, ourLabel) || isOpen(number, incoming.repository.id);
}

/**
 * The pull request of a run has the label; if we opened it, its branch also has our prefix. That of a fork is
 * none, whatever its branch is called.
 */
function isRun({ labels, head_ref, from_fork = false }: Pull): boolean {
  return !from_fork && (hasLabel(labels, ourLabel) || head_ref.startsWith(branchPrefix));
}
