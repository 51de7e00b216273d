import { commandNames } from '../../steering/commands/index.ts';
import { mayContainCommand } from '../markdown/command-parser.ts';
import type { GitHubEvent, Pull } from './github-event.ts';
import { readPayload } from './payloads.ts';

/**
 * Whether a delivery may concern us, from its payload alone: no call to anybody. Most deliveries of a busy
 * organisation do not, and most of those are told by looking for a word that all of ours contain.
 * Never false for what `translate` would make something of. A payload that cannot be read concerns us: that is
 * a fault to be told.
 */
export function isRelevant(name: string, body: Buffer | string): boolean {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const text = bytes.toString('latin1');
  if (!signs.get(name)?.(text)) return false;
  try {
    const payload: unknown = JSON.parse(body.toString());
    return readPayload(name, payload).some(isRelevantEvent);
  } catch {
    return true; // What is wrong with it is said by whoever reads it in earnest.
  }
}

/**
 * Whether there is, in the JSON of a payload (its bytes taken for Latin-1), what all that concern us
 * contain.
 */
type Sign = (text: string) => boolean;

const signs: ReadonlyMap<string, Sign> = new Map([
  ['issue_comment', (text) => text.includes('\\u') || bearsSlashWord(text)],
  ['issues', sign(/"labeled"/)],
  ['pull_request', sign(/coxswain/)],
  ['pull_request_review', sign(/coxswain/)],
  ['check_run', sign(/"requested_action"|"rerequested"/)],
  ['check_suite', sign(/"rerequested"/)],
  ['push', sign(/coxswain/)],
  ['installation', sign(/"created"/)],
  ['installation_repositories', sign(/"added"/)],
]);

/** A letter written as `\u0063`: GitHub does not, JSON may. */
const escapedLetter = /\\u00[4-7]/;

function sign(word: RegExp): Sign {
  return (text) => word.test(text) || escapedLetter.test(text);
}

/** A word of ours, or one that invisible characters, which are not ASCII, may hide. */
const slashWord = new RegExp(
  `/(?:(?:${['coxswain', ...commandNames].join('|')})(?![\\w-])|[a-z]*[\\x80-\\xff])`,
  'iy',
);

/** From slash to slash, which is three times as fast as letting the expression look for them. */
function bearsSlashWord(text: string): boolean {
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at + 1)) {
    slashWord.lastIndex = at;
    if (mayBegin(text[at - 1] ?? '"') && slashWord.test(text)) return true;
  }
  return false;
}

/**
 * A command begins its line: behind a quote, a blank, the letter of `\n`, `\r` or `\t`, or what is not
 * ASCII.
 */
function mayBegin(before: string): boolean {
  return '" nrt\\'.includes(before) || before > '\x7f';
}

/** Of what was heard, what can be about a run or a wish for one. */
export function isRelevantEvent(incoming: GitHubEvent): boolean {
  switch (incoming.kind) {
    case 'comment': {
      const { body, former } = incoming.comment;
      const unknown = incoming.action === 'edited' && former === null;
      return !incoming.author.bot && (unknown || [body, former ?? ''].some(mayContainCommand));
    }
    case 'review':
      return !incoming.author.bot && isRun(incoming.pull);
    case 'click':
      return incoming.check_name.startsWith('Coxswain');
    case 'recheck':
      return incoming.check_run?.name.startsWith('Coxswain') ?? true;
    case 'pushed':
    case 'closed':
    case 'reopened':
    case 'body_edited':
      return isRun(incoming.pull);
    case 'branch_deleted':
      return incoming.branch.startsWith(branches);
    case 'labeled':
    case 'installed':
    case 'dispatch':
    case 'schedule':
      return true;
  }
}

const label = 'coxswain';
const branches = 'coxswain/';

/** Every run's pull request bears the label; those we opened have a branch of ours besides. */
function isRun({ labels, head_ref }: Pull): boolean {
  return labels.includes(label) || head_ref.startsWith(branches);
}
