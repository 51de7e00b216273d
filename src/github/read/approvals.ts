import { isAdmitted, teamsIn } from '../../steering/approval/approval-needs.ts';
import type { Authority } from '../../steering/approval/authority.ts';
import type { ApprovalFacts } from '../../steering/approval/finish-facts.ts';
import { isSame, type Person } from '../../steering/person.ts';
import { mayOverride, maySpeak } from '../../steering/policy.ts';
import type { ApprovalSettings } from '../../steering/settings.ts';
import type { Approval } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import type { Octokit } from '../octokit/connect.ts';
import { isOurApp, type Own } from '../own.ts';
import { textSha256 } from '../text-digest.ts';
import { type ApprovalSource, type ApprovalText, readSource } from './approval-source.ts';
import { type EditHistory, editsOf, otherEditor } from './edits.ts';
import type { RepositoryRef } from './repository.ts';
import { roleOf } from './roles.ts';
import { membershipsOf } from './teams.ts';

/** The pull request and the rules for its approval, none of them taken from the ledger. */
export interface Approvable {
  readonly where: RepositoryRef;
  readonly number: number;
  readonly approval: Pick<ApprovalSettings, 'by' | 'required' | 'apps'>;
  /** Who else has a say about the changed files. */
  readonly authority?: Authority | undefined;
  readonly own: Own;
  /** The head of the branch at a time; undefined if GitHub does not say. */
  headAt(time: string): Promise<string | undefined>;
}

/**
 * Reads approvals again at their sources, with the current roles of their authors. The ledger alone is not
 * proof: anyone with write access could have force-pushed its ref.
 */
export async function readApprovals(
  octokit: Octokit,
  pull: Approvable,
  approvals: readonly Approval[],
): Promise<readonly ApprovalFacts[]> {
  const reading = approvals.map(async (approval) => {
    return { approval, source: await readSource(octokit, pull, approval) };
  });
  const read = await Promise.all(reading);
  const ids = read.flatMap(({ source }) => (source.from === 'text' ? [source.node_id] : []));
  const edits = await editsOf(octokit, ids);
  return Promise.all(read.map((each) => judged(octokit, pull, { ...each, edits })));
}

/** Whether the approval is what the ledger says, and the person may still approve. */
async function judged(octokit: Octokit, pull: Approvable, given: Given): Promise<ApprovalFacts> {
  const { id, by, despite } = given.approval;
  const objection = await objectionToSource(pull, given);
  if (objection !== undefined) return { id, stands: false, why: objection };
  // Their login may have changed since, and somebody else may have it now.
  const { login } = given.source.from === 'text' ? given.source.author : by;
  const { role, is_other } = await roleOf(octokit, pull.where, { login, id: by.id });
  const asked = is_other || role === 'none' ? [] : teamsIn(pull);
  const { teams } = await membershipsOf(octokit, login, asked);
  const person: Person = { ...by, login, role, teams };
  const may = !is_other && isAdmitted(pull, person) && (despite.length === 0 || mayOverride(person));
  const why = may ? '' : `@${login} is no longer allowed to approve (${standingOf(person, asked)})`;
  return { id, stands: may, why, role, ...(asked.length > 0 && { teams }) };
}

function standingOf({ role, teams = [] }: Person, asked: readonly string[]): string {
  const missing = asked.filter((team) => !teams.includes(team));
  return missing.length === 0
    ? `role ${role}`
    : `role ${role}, not in ${missing.map((team) => `@${team}`).join(' or ')}`;
}

interface Given {
  readonly approval: Approval;
  readonly source: ApprovalSource;
  readonly edits: ReadonlyMap<string, EditHistory>;
}

async function objectionToSource(
  pull: Approvable,
  { approval, source, edits }: Given,
): Promise<string | undefined> {
  switch (source.from) {
    case 'nowhere':
      return source.why;
    case 'click':
      return undefined;
    case 'text':
      return (
        objectionToText(source, approval) ??
        objectionToWords(source, approval) ??
        objectionToApp(source, pull) ??
        objectionToEditors(source, edits.get(source.node_id)) ??
        (await objectionToHead(source, approval, pull))
      );
  }
}

function objectionToText({ author, body, sha256 }: ApprovalText, { by }: Approval): string | undefined {
  if (!isSame(author, by)) return `the author of the approval is no longer @${by.login}`;
  return textSha256(body) === sha256 ? undefined : `the approval by @${by.login} was edited`;
}

/** Even unedited text may differ from what the ledger recorded about it. */
function objectionToWords({ command }: ApprovalText, approval: Approval): string | undefined {
  const { by, head_sha, despite } = approval;
  if (command?.type !== 'approve') return `the text by @${by.login} is not an approval`;
  if (!head_sha.startsWith(command.sha ?? '')) return `the approval by @${by.login} names another commit`;
  const unsaid = despite.filter((name) => !command.despite.includes(name));
  return unsaid.length === 0 ? undefined : `@${by.login} did not override ${unsaid.join(', ')}`;
}

function objectionToApp({ via_app, author }: ApprovalText, pull: Approvable): string | undefined {
  if (via_app === null || isOurApp(via_app, pull.own) || maySpeak(pull.approval, via_app.slug ?? ''))
    return undefined;
  return `the App ${via_app.slug} wrote the approval by @${author.login}`;
}

/** On GitHub, people with write access can edit what others wrote. */
function objectionToEditors(
  { what, author }: ApprovalText,
  history: EditHistory | undefined,
): string | undefined {
  const other = otherEditor(history, author);
  if (other === undefined) return undefined;
  return other.id === 0
    ? `GitHub does not say who edited the ${what} by @${author.login}`
    : `the ${what} by @${author.login} was edited by @${other.login}`;
}

/**
 * Without a SHA, a comment is about the commit that was the head at that time. So is one with a short SHA:
 * it is easy to make a second commit that begins alike.
 */
async function objectionToHead(
  { command, author, written_at }: ApprovalText,
  { head_sha }: Approval,
  { headAt }: Approvable,
): Promise<string | undefined> {
  if (command?.type === 'approve' && command.sha === head_sha) return undefined;
  const meant = await headAt(written_at);
  if (meant === head_sha) return undefined;
  const when = `when @${author.login} approved`;
  const what =
    meant === undefined
      ? `GitHub does not say which commit was the head ${when}`
      : `the head was ${shortSha(meant)} ${when}`;
  return `${what}: to approve ${shortSha(head_sha)}, say "/approve ${head_sha}"`;
}
