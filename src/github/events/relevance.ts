import { commandNames } from '../../steering/commands/index.ts';
import { mayContainCommand } from '../markdown/command-parser.ts';
import type { GitHubEvent, Pull } from './github-event.ts';

/**
 * Whether the JSON of a payload holds a word that every payload which concerns a run contains. Most
 * deliveries of a busy organisation do not, so they are recognised without being parsed.
 */
export function mayBeRelevant(name: string, body: Buffer): boolean {
  // Read as Latin-1, which is the fastest way to text: the words we look for are ASCII.
  return signs.get(name)?.(body.toString('latin1')) ?? false;
}

/** Looks for that word in the payload of one kind of event. */
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

/**
 * Whether an event can be about a run, or ask for one; never false for what `translate` makes something of.
 */
export function isRelevant(incoming: GitHubEvent): boolean {
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
