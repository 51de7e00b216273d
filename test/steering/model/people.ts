import type { Account, GitHubEvent, Pull } from '../../../src/github/events/github-event.ts';
import type { CheckSpec } from '../../../src/steering/shapes/settings.ts';
import { ada, bob, mia, rea, robot, run, task, tess } from '../samples.ts';
import type { Dice } from './dice.ts';
import { type Hub, type HubComment, type HubReview, noCommit, repository } from './hub.ts';

/** What people do on GitHub: each changes the hub, and the news of it are still to be delivered. */
export const deeds = {
  comments: (hub, dice) => {
    const by = someone(dice);
    const [id, at, body] = [hub.newId(), hub.at, words(hub, dice)];
    const comment = { id, by, body, created_at: at, updated_at: at, edits: [] };
    hub.change({ comments: [...hub.facts.comments, comment] });
    tellComment(hub, 'created', comment, by);
  },
  edits: (hub, dice) => {
    const comment = dice.among(hub.facts.comments);
    if (comment === undefined) return;
    const by = dice.rarely(4) ? someone(dice) : comment.by;
    const at = hub.at;
    const body = words(hub, dice);
    const edited = { ...comment, body, updated_at: at, edits: [...comment.edits, { by, at }] };
    hub.change({ comments: hub.facts.comments.map((each) => (each === comment ? edited : each)) });
    tellComment(hub, 'edited', edited, by);
  },
  deletes: (hub, dice) => {
    const comment = dice.among(hub.facts.comments);
    if (comment === undefined) return;
    const by = dice.oneOf(comment.by, ada, bob);
    hub.change({ comments: hub.facts.comments.filter((each) => each !== comment) });
    hub.turn({ event: 'comment_deleted', by, author: comment.by });
    tellComment(hub, 'deleted', comment, by);
  },
  reviews: (hub, dice) => {
    const by = someone(dice);
    const state = dice.oneOf<HubReview['state']>('APPROVED', 'APPROVED', 'CHANGES_REQUESTED', 'COMMENTED');
    const body = state === 'CHANGES_REQUESTED' ? 'do it otherwise' : dice.oneOf('', 'fine', '/approve');
    const commit_id = dice.rarely(6) ? run.head : hub.pull.head;
    const review = { id: hub.newId(), by, body, state, commit_id, submitted_at: hub.at };
    hub.change({ reviews: [...hub.facts.reviews, review] });
    tellReview(hub, 'submitted', review, by);
  },
  dismisses: (hub, dice) => {
    const review = dice.among(hub.facts.reviews.filter(({ state }) => state !== 'DISMISSED'));
    if (review === undefined) return;
    const dismissed = { ...review, state: 'DISMISSED' as const };
    hub.change({ reviews: hub.facts.reviews.map((each) => (each === review ? dismissed : each)) });
    hub.turn({ event: 'review_dismissed', by: bob, about: review.id });
    tellReview(hub, 'dismissed', dismissed, bob);
  },
  /** On any button that was ever shown, also an old one; GitHub sends no time. */
  clicks: (hub, dice) => {
    const shown = hub.checks.filter(({ actions }) => actions.length > 0);
    const check = dice.rarely(4) ? dice.among(shown) : shown.at(-1);
    const button = check && dice.among(check.actions);
    if (check === undefined || button === undefined) return;
    // It is there at all times, and would end most runs before anything happens to them.
    if (button.identifier === 'cancel' && !dice.rarely(6)) return;
    const { id: check_run_id, name: check_name, external_id, head_sha } = check;
    const by = someone(dice);
    const click = { check_run_id, check_name, external_id, head_sha, identifier: button.identifier };
    for (let times = dice.rarely(4) ? 2 : 1; times > 0; times--)
      hub.news.add({ kind: 'click', ...origin(by), ...click });
  },
  pushes: (hub, dice) => {
    const before = hub.branch;
    if (before === undefined || !hub.pull.open) return;
    const former = dice.among(hub.moves)?.after;
    const isBack = dice.rarely(3) && former !== undefined && former !== noCommit && former !== before;
    const after = isBack ? former : hub.newCommit();
    const by = dice.oneOf(ada, bob);
    hub.move(after, by);
    hub.news.add({ kind: 'pushed', ...origin(by), at: hub.at, pull: pullOf(hub), before, after });
  },
  deletesBranch: (hub, dice) => {
    if (hub.branch === undefined) return;
    const before = hub.branch;
    hub.move(undefined, bob);
    hub.news.add({ kind: 'branch_deleted', ...origin(bob), at: hub.at, branch: run.branch, before });
    if (hub.pull.open) closeAs(hub, bob, false);
    if (dice.rarely(2)) return;
    // "Restore branch" does not open the pull request again.
    hub.move(before, bob);
  },
  closes: (hub) => {
    if (hub.pull.open) closeAs(hub, bob, false);
  },
  merges: (hub) => {
    if (hub.pull.open && !hub.pull.draft) closeAs(hub, bob, true);
  },
  reopens: (hub) => {
    if (hub.pull.open || hub.pull.merged || hub.branch === undefined) return;
    // GitHub's times have whole seconds, and nobody sees that it is closed and opens it again within one.
    hub.now += 1000;
    hub.changePull({ open: true, head: hub.branch });
    hub.turn({ event: 'reopened', by: ada });
    hub.news.add({ kind: 'reopened', ...origin(ada), at: hub.at, pull: pullOf(hub) });
  },
  retargets: (hub) => {
    if (!hub.pull.open) return;
    hub.changePull({ base: hub.pull.base === 'main' ? 'release' : 'main' });
    hub.turn({ event: 'retargeted', by: mia, about: hub.pull.base });
    hub.news.add({ kind: 'retargeted', ...origin(mia), at: hub.at, pull: pullOf(hub) });
  },
  /** The repository's own CI, on the head: it begins, ends, or is run again. */
  runsCi: (hub, dice) => {
    const spec = dice.among(hub.settings.checks ?? []);
    if (spec !== undefined)
      endCheck(hub, spec, dice.oneOf('success', 'success', 'failure', 'cancelled', null));
  },
  movesBase: (hub) => hub.moveBase(),
  configures: (hub, dice) => {
    hub.settings = { ...hub.settings, digest: dice.oneOf('d1', 'd2') };
  },
  /** What the run may depend on is merged, closed or replaced. */
  turnsOther: (hub, dice) => {
    const number = dice.oneOf(3, 3, 4, 5);
    hub.others.set(number, dice.oneOf('ready', 'ready', 'ready', 'open', 'merged', 'closed'));
    if (dice.rarely(3)) hub.replacing.set(3, 5);
  },
  changesRoles: (hub) => {
    hub.roles.set(bob.id, hub.roles.get(bob.id) === 'write' ? 'read' : 'write');
  },
} satisfies { [name: string]: (hub: Hub, dice: Dice) => void };

export type Deed = keyof typeof deeds;

/** A check of CI has ended on the head, or has begun if there is no conclusion. */
export function endCheck(hub: Hub, { check: name, app }: CheckSpec, conclusion: string | null): void {
  const head_sha = hub.pull.head;
  const made = {
    ...{ id: hub.newId(), name, head_sha, external_id: '', conclusion, actions: [] },
    ...{ status: conclusion === null ? 'in_progress' : 'completed', output: noOutput },
    completed_at: conclusion === null ? null : hub.at,
  };
  hub.ci = [...hub.ci, made].slice(-60);
  if (conclusion === null) return;
  const about = { check_name: name, app, head_sha, branch: '', numbers: [run.number] };
  hub.news.add({ kind: 'check_ended', ...origin(robot), ...about });
}

const noOutput = { title: '', summary: '', text: '' };

/** Closes or merges the pull request, whoever does it. */
export function closeAs(hub: Hub, by: Account, merged: boolean): void {
  hub.changePull({ open: false, merged, closed_at: hub.at });
  hub.turn({ event: 'closed', by });
  hub.news.add({ kind: 'closed', ...origin(by), at: hub.at, pull: pullOf(hub), merged });
}

function someone(dice: Dice): Account {
  return dice.oneOf(ada, ada, bob, bob, mia, rea, tess, robot);
}

/** What a block says of a task. */
function blockOf(hub: Hub, dice: Dice): string {
  const interrupt = hub.checks.findLast(({ external_id }) =>
    external_id.startsWith('interrupt:'),
  )?.external_id;
  const about = interrupt !== undefined && dice.rarely(2) ? [`interrupt: ${interrupt}`] : [];
  const text = dice.oneOf(
    'description: otherwise',
    'depends_on: [3]',
    'depends_on: [3, 4]',
    'depends_on: []',
    'max_steering_iterations: 1',
  );
  return ['```coxswain', text, ...about, '```'].join('\n');
}

function words(hub: Hub, dice: Dice): string {
  const { head } = hub.pull;
  return dice.oneOf(
    ...[`/retry\n${blockOf(hub, dice)}`, `/retry\n${blockOf(hub, dice)}`, '/resume'],
    '/approve',
    ...['/approve', '/approve', '/approve', '/approve', '/resume', '/resume', '/resume'],
    ...[`/approve ${head}`, '/steer otherwise', '/retry', '/allow', '/allow'],
    `/approve ${head}`,
    `/approve ${head.slice(0, 7)}`,
    '/approve --despite test',
    '/steer otherwise',
    '/steer --now at once',
    '/retry',
    '/verify',
    '/verify --ci',
    ...['/allow', '/budget +5', '/answer 1', '/answer whatever is best', '/deny'],
    '/allow always',
    '/deny not now',
    ...['/pause', '/pause for lunch', '/undo', '/undo 0', '/interrupt', '/interrupt look', '/extend 1'],
    ...['/spawn do less', '/spawn', '/abandon no use'],
    '/cancel',
    '/reject no',
    '/status',
    '/why not',
    'just talk',
  );
}

function origin(sender: Account) {
  return { installation_id: 1, sender, repository };
}

function pullOf({ pull: { head, base } }: Hub): Pull {
  return { number: run.number, head_ref: run.branch, head_sha: head, base_ref: base, labels: ['coxswain'] };
}

type Action = 'created' | 'edited' | 'deleted';

function tellComment(hub: Hub, action: Action, comment: HubComment, sender: Account): void {
  const { id, body, created_at, updated_at, by: author } = comment;
  const labels = ['coxswain'];
  const event: GitHubEvent = {
    ...{ kind: 'comment', ...origin(sender), at: action === 'deleted' ? hub.at : updated_at, action, author },
    issue: { number: run.number, title: task.title, body: '', open: hub.pull.open, is_pull: true, labels },
    comment: {
      ...{ id, node_id: `C${id}`, body, former: null, created_at, updated_at, via_app: null },
      is_own_text: false,
    },
  };
  hub.news.add(event);
}

const states = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
} as const;

function tellReview(hub: Hub, action: 'submitted' | 'dismissed', review: HubReview, sender: Account): void {
  const { id, body, commit_id, by: author } = review;
  hub.news.add({
    ...{ kind: 'review', ...origin(sender), at: hub.at, action, author, pull: pullOf(hub) },
    review: { id, node_id: `R${id}`, state: states[review.state], body, commit_id },
  });
}
