import { isAscii } from 'node:buffer';
import { commandNames } from '../../steering/commands/index.ts';
import type { Heard, Pull } from './heard.ts';
import { readPayload } from './payloads.ts';
import { mayHoldCommand } from './speech.ts';

/**
 * Whether a delivery may concern us, from its payload alone: no call to anybody. Most deliveries of a busy
 * organisation do not, and most of those are told by looking for a word that all of ours contain.
 * Never false for what `hear` would make something of. A payload that cannot be read concerns us: that is
 * a fault to be told.
 */
export function concerns(name: string, body: Buffer | string): boolean {
  const wanted = signs.get(name);
  if (wanted === undefined || !bears(typeof body === 'string' ? Buffer.from(body) : body, wanted))
    return false;
  try {
    const payload: unknown = JSON.parse(body.toString());
    return readPayload(name, payload).some(concernsUs);
  } catch {
    return true; // What is wrong with it is said by whoever reads it in earnest.
  }
}

/** What the JSON of every payload of an event that concerns us contains: one of these. */
interface Sign {
  readonly anyOf: readonly RegExp[];
  /** People's words may hide a word of ours between invisible characters, which are not ASCII. */
  readonly orNotAscii: boolean;
}

function sign(...anyOf: readonly RegExp[]): Sign {
  return { anyOf, orNotAscii: false };
}

const slashWord = new RegExp(`/(?:${['coxswain', ...commandNames].join('|')})(?![\\w-])`, 'i');
/** A letter written as `\u0063`: GitHub does not, JSON may. */
const escapedLetter = /\\u00[4-7]/;

const signs: ReadonlyMap<string, Sign> = new Map([
  ['issue_comment', { anyOf: [/\\u/, slashWord], orNotAscii: true }],
  ['issues', sign(/"labeled"/, escapedLetter)],
  ['pull_request', sign(/coxswain/, escapedLetter)],
  ['pull_request_review', sign(/coxswain/, escapedLetter)],
  ['check_run', sign(/"requested_action"|"rerequested"/, escapedLetter)],
  ['check_suite', sign(/"rerequested"/, escapedLetter)],
  ['push', sign(/coxswain/, escapedLetter)],
  ['installation', sign(/"created"/, escapedLetter)],
  ['installation_repositories', sign(/"added"/, escapedLetter)],
]);

function bears(body: Buffer, { anyOf, orNotAscii }: Sign): boolean {
  if (orNotAscii && !isAscii(body)) return true;
  const text = body.toString('latin1');
  return anyOf.some((one) => one.test(text));
}

/** Of what was heard, what can be about a run or a wish for one. */
export function concernsUs(heard: Heard): boolean {
  switch (heard.kind) {
    case 'comment': {
      const { body, former } = heard.comment;
      const unknown = heard.action === 'edited' && former === null;
      return !heard.author.bot && (unknown || [body, former ?? ''].some(mayHoldCommand));
    }
    case 'review':
      return !heard.author.bot && isRun(heard.pull);
    case 'click':
      return heard.check_name.startsWith('Coxswain');
    case 'recheck':
      return heard.check_run?.name.startsWith('Coxswain') ?? true;
    case 'pushed':
    case 'closed':
    case 'reopened':
    case 'body_edited':
      return isRun(heard.pull);
    case 'branch_deleted':
      return heard.branch.startsWith(branches);
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
