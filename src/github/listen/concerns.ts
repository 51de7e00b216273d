import { commandNames } from '../../steering/commands/index.ts';
import type { Heard, Pull } from './heard.ts';
import { readPayload } from './payloads.ts';
import { mayHoldCommand } from './speech.ts';

/**
 * Whether a delivery may concern us, from its payload alone: no call to anybody. Most deliveries of a busy
 * organisation do not, and most of those are told by looking for a word that all of ours contain.
 * Never false for what `hear` would make something of. A payload that cannot be read concerns us: it is a fault.
 */
export function concerns(name: string, body: Buffer | string): boolean {
  const sign = signs.get(name);
  if (sign === undefined) return false;
  const bytes = typeof body === 'string' ? body : body.toString('latin1');
  if (!sign.test(bytes)) return false;
  try {
    const payload: unknown = JSON.parse(body.toString());
    return readPayload(name, payload).some(concernsUs);
  } catch {
    return true; // What is wrong with it is said by whoever reads it in earnest.
  }
}

/** A letter written as `\u0063`: GitHub does not, JSON may. */
const escapedLetter = '\\\\u00[4-7]';
/** Invisible characters inside a word are not ASCII, or are escaped. */
const mayHideWord = '\\\\u|\\P{ASCII}';
const words = ['coxswain', ...commandNames].join('|');

function sign(...alternatives: string[]): RegExp {
  return new RegExp(alternatives.join('|'), 'iu');
}

/** What the JSON of every payload that concerns us contains, by the event's name. */
const signs: ReadonlyMap<string, RegExp> = new Map([
  ['issue_comment', sign(`/(?:${words})(?![\\w-])`, mayHideWord)],
  ['issues', sign('"labeled"', escapedLetter)],
  ['pull_request', sign('coxswain', escapedLetter)],
  ['pull_request_review', sign('coxswain', escapedLetter)],
  ['check_run', sign('"requested_action"', '"rerequested"', escapedLetter)],
  ['check_suite', sign('"rerequested"', escapedLetter)],
  ['push', sign('coxswain', escapedLetter)],
  ['installation', sign('')],
  ['installation_repositories', sign('')],
]);

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
