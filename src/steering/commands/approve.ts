import { either, justCame, lacksRole, otherBase, shortSha, startedOver } from '../phrases/phrases.ts';
import { covers, type Role } from '../shapes/people.ts';
import { type ApprovalWay, approvalWays, takesClick } from '../shapes/settings.ts';
import type { Phase } from '../shapes/standing.ts';
import { command, type Wording } from './spec.ts';

interface ApproveCommand {
  readonly type: 'approve';
  readonly sha: string | null;
  readonly despite: readonly string[];
}

const sha = /^[0-9a-f]{7,40}$/i;

/** Approves the commit under review, or lets the next stage begin. */
export const approve = command<ApproveCommand>()({
  usage: '/approve [sha] [--despite <verifier>]',
  summary:
    'Approve the commit, plan or stage under review. ' +
    '`--despite` overrides a failing verifier; this is recorded and requires maintain or admin access.',
  needs: 'write',
  followsApproval: true,
  startsNoWork: true,
  button: { label: 'Approve' },
  example: '',
  parse: ({ line }) => {
    const words = line.split(/\s+/).filter((word) => word !== '');
    const despite: string[] = [];
    let named: string | null = null;
    for (let word = words.shift(); word !== undefined; word = words.shift()) {
      if (word === '--despite') {
        const verifier = words.shift();
        if (verifier === undefined) return { problem: '`--despite` needs the name of a verifier' };
        despite.push(verifier);
      } else if (sha.test(word) && named === null) named = word.toLowerCase();
      else return { problem: `\`${word}\` is neither a commit SHA nor an option` };
    }
    return { type: 'approve', sha: named, despite };
  },
  print: ({ sha: named, despite }) =>
    [named ?? '', overriding(despite)].filter((word) => word !== '').join(' '),
  pointless: (refusal) => refusal.why === 'nothing_to_approve' || isBeyondOverriding(refusal),
  refusals: {
    nothing_to_approve: ({ phase }: { phase: Phase }, { code, now }) =>
      `There is no commit to approve while the run is ${code(phase)}. ${now()}`,
    /** `in_full`: only the commit's full name will do. */
    other_head: (
      { approved, head, in_full }: { approved: string; head: string; in_full?: boolean },
      { code, compare },
    ) =>
      `You approved ${code(shortSha(approved))}, but ${code(shortSha(head))} is the commit under review. ` +
      `Review [what has changed since](${compare(approved, head)}), ` +
      `then use ${code(`/approve ${in_full ? head : head.slice(0, 12)}`)}.`,
    just_landed: ({ head }: { head: string }, { code }) =>
      justCame(
        `${code(shortSha(head))} landed`,
        `reviewed it, use ${code(`/approve ${head.slice(0, 12)}`)}.`,
      ),
    /** The comment is older than the stage on show. */
    just_shown: (_: unknown, { code }) =>
      justCame('What is under review now appeared', `read it, use ${code('/approve')} again.`),
    /** `restored`: a ledger that was begun anew does not know whether someone did. */
    pushed_while_shown: (
      {
        head,
        restored,
        despite = [],
        how = approvalWays,
      }: { head: string; restored?: boolean; despite?: readonly string[] } & Ways,
      { code },
    ) =>
      `${restored ? `This ${startedOver}` : 'Someone pushed to this branch while it was under review'}, ` +
      `so a comment has to name the commit with all ${head.length} characters: ${code(approval(head, despite))}.` +
      otherWays(how.filter((way) => way !== 'comment')),
    other_base: ({ base, head, how }: { base: string; head: string } & Ways, { code }) =>
      `${otherBase(code(base))} you have seen. ` +
      `Once you have reviewed what is merged into it now, use ${named(how, code(`/approve ${head}`))}.`,
    /** `way`: what it was. `how`: what counts. */
    other_way: (
      { way, how, number }: { way: ApprovalWay; how: readonly ApprovalWay[]; number: number },
      { code, checks },
    ) =>
      `A ${way} does not approve anything here, because ${code('approval.how')} leaves it out. ` +
      `Use ${either(how.map((each) => wayText(each, { comment: code('/approve'), checks: checks(number) })))}.`,
    already_approved: ({ by }: { by: string }, { code, plain }) =>
      `This commit is already approved by ${plain(by)}. ${code('/status')} shows what is still missing.`,
    /** `has`: the person's role; absent in ledgers of older versions. `head`: to be named in full. */
    red_verifiers: redVerifiersText,
    despite_needs_maintain: ({ has }: { has: Role }) =>
      `${lacksRole('Overriding a failing verifier', 'maintain or admin', has)} ` +
      'Ask someone with either role, or steer the run until the verifier passes.',
    not_red: ({ names }: { names: readonly string[] }, { code }) =>
      `No required verifier named ${either(names.map((name) => code(name)))} is failing. ` +
      `Use ${code('/approve')} without ${code(overriding(names))}.`,
  },
  replies: {
    /** Also whose are missing: each is part of a sentence, and absent in ledgers of older versions. */
    counted: (
      { have, need, missing = [] }: { have: number; need: number; missing?: readonly string[] },
      { plain },
    ) => {
      const left = missing.length === 0 ? [`${need - have}`] : missing.map((each) => plain(each));
      return `Approval ${have} of ${need} recorded. Still needed: ${left.join('; ')}.`;
    },
  },
});

/** The ways in which a run can be approved, where they are not all. */
interface Ways {
  readonly how?: readonly ApprovalWay[];
}

function otherWays(others: readonly ApprovalWay[]): string {
  const [first, ...more] = others.map((way) => wayText(way));
  if (first === undefined) return '';
  return ` ${either([`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...more])} will do, too.`;
}

/**
 * How a commit can be approved that has to be named: a review of it may be about another base, and counts
 * only where nothing else does.
 */
function named(how: readonly ApprovalWay[] = approvalWays, comment: string): string {
  const exact = how.filter((way) => way !== 'review');
  return either((exact.length === 0 ? how : exact).map((way) => wayText(way, { comment })));
}

/** `checks`: where the button is. */
function wayText(way: ApprovalWay, { comment = '', checks = '' } = {}): string {
  if (way === 'comment') return comment;
  if (way === 'review') return 'an approving review';
  return checks === '' ? 'the button' : `the button Approve on the [Checks tab](${checks})`;
}

/** A failed verifier can be overridden by whoever names it, and a click names nothing. */
function isBeyondOverriding(refusal: { readonly why: string } & Ways): boolean {
  return refusal.why === 'red_verifiers' && takesClick(refusal.how);
}

/** Whoever may not override them is told who may. */
function redVerifiersText(
  { names, has, head = '', how: ways }: { names: readonly string[]; has?: Role; head?: string } & Ways,
  { code, possible }: Wording,
): string {
  const inReview = ways === undefined || ways.includes('comment') ? '' : ' in a review';
  const override = `${code(approval(head, names))}${inReview}`;
  const how = takesClick(ways)
    ? 'nobody can override them here, because a click names no verifier.'
    : has === undefined || covers(has, 'maintain')
      ? `override them with ${override}, which requires maintain or admin access and is recorded.`
      : `ask someone with maintain or admin access to override them with ${override}; your role is ${has}.`;
  const failed = `Required verifiers failed: ${names.map((name) => code(name)).join(', ')}.`;
  return possible.includes('steer')
    ? `${failed} Steer the run to fix them, or ${how}`
    : `${failed} ${how.charAt(0).toUpperCase()}${how.slice(1)}`;
}

function approval(head: string, despite: readonly string[]): string {
  return ['/approve', head, overriding(despite)].filter((word) => word !== '').join(' ');
}

function overriding(names: readonly string[]): string {
  return names.map((name) => `--despite ${name}`).join(' ');
}
