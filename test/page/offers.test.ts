import { expect, test } from 'vitest';
import type { Speaker } from '../../src/page/forms/offers.ts';
import { runView } from '../../src/page/views/run-view.ts';
import type { Person } from '../../src/steering/shapes/people.ts';
import { runIn } from '../steering/phases.ts';
import { ada, bob, mia, rea } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { pullModel, runModel, speakerOf, usualView } from './samples.ts';

const red = (): Story => runIn.awaiting_resolution();

test('whoever may override a red verifier is offered that, by name and for this commit', () => {
  const run = red();
  const commands = commandsFor(run, as(mia));
  expect(commands).not.toContain('id="button-approve"');
  expect(commands).toContain('<details id="despite" open><summary>Approve despite test…</summary>');
  expect(commands).toContain(
    `name="sha" value="${run.state.head}"><input type="hidden" name="despite" value="test"`,
  );
  expect(textOf(commands)).toContain('It takes the role maintain or admin, and the ledger keeps who did it.');
});

test('after another base was there for a while an approval names the whole commit', () => {
  const run = story().starts().works().retargets(bob, 'release').retargets(bob, 'main');
  run.verifiers.pass();
  expect(run.state.standing.phase).toBe('awaiting_approval');
  expect(commandsFor(run, as(mia))).toContain(`name="sha" value="${run.state.head}"`);
});

test('whoever may not override a red verifier is told who may, and is not sent into a refusal', () => {
  const commands = commandsFor(red(), as(bob));
  expect(commands).not.toContain('value="approve"');
  expect(textOf(commands)).toContain(
    'Required verifiers failed: test . Steer the run to fix them, or ask someone with maintain or admin access to ' +
      'override them with /approve --despite test ; your role is write.',
  );
});

test('a reader is told what they lack, once', () => {
  const text = textOf(commandsFor(runIn.awaiting_approval(), as(rea)));
  expect(text).toContain('Your role here is read: commands that change the run need write access.');
  expect(text).not.toMatch(/Approve \w{7}|Try again|Reject…/);
});

test('own work is not offered for approval where the configuration forbids it', () => {
  const run = story({ approval: { requester_may_approve: false } })
    .starts()
    .works();
  expect(textOf(commandsFor(run, as(ada)))).toContain(
    'You requested this run, and approval.requester_may_approve',
  );
  expect(commandsFor(run, as(ada))).not.toContain('value="approve"');
  expect(commandsFor(run, as(bob))).toContain('value="approve"');
});

test('where only named people may approve, nobody else is offered it, whatever GitHub says', () => {
  const run = story({ approval: { by: [{ login: 'mia' }] } })
    .starts()
    .works();
  expect(commandsFor(run, as(mia))).toContain('value="approve"');
  expect(commandsFor(run, as(bob))).not.toContain('value="approve"');
  expect(textOf(commandsFor(run, as(bob)))).toContain('/approve requires @\u200bmia');
});

test('after a push under review an approval names the whole commit', () => {
  const run = story().starts().works().pushes(bob).verifiers.pass();
  expect(commandsFor(run, as(mia))).toContain(
    `value="approve"><input type="hidden" name="sha" value="${run.state.head}"`,
  );
});

test.each([
  ['ready', 'a merge on GitHub, by anyone who may merge', 'draft'],
  ['merge', 'the merge, which Coxswain asks GitHub for', 'merge, squash'],
  ['auto-merge', 'the merge, which Coxswain asks GitHub for', 'auto-merge, squash'],
] as const)('after an approval with finish: %s the page says what comes next', (finish, next, how) => {
  const run = story({ approval: { finish } }).starts().works().says(mia, '/approve');
  const checking = runView({ run: runModel(run), speaker: as(mia), ...plain }).text;
  expect(textOf(checking)).toContain('the final check, which compares the approval with GitHub once more');
  const { state } = run.confirms();
  const merge = { id: 'x:merge', do: 'merge', head_sha: state.head, when: 'now' } as const;
  const owed = finish === 'ready' ? [] : [merge];
  const model = runModel(run, { state: { value: { ...state, owed } }, pull: pullModel() });
  const page = runView({ run: model, speaker: as(mia), ...plain }).text;
  expect(textOf(page)).toContain(next);
  expect(textOf(page)).toContain(how);
  expect(page).toContain('href="https://github.com/acme/service/pull/7#partial-pull-merging"');
});

test('what is still a draft on GitHub is not said to be ready', () => {
  const model = runModel(runIn.approved().confirms());
  const text = textOf(runView({ run: model, speaker: as(mia), ...plain }).text);
  expect(text).toContain('draft');
  expect(text).not.toContain('ready for review');
});

test('what was posted is shown with its buttons at rest, until it is late', () => {
  const posting = { name: 'approve', body: '/approve', phase: 'waiting' } as const;
  const waiting = commandsFor(runIn.awaiting_approval(), { posting });
  expect(textOf(waiting)).toContain('Posted /approve . Waiting for Coxswain…');
  expect(waiting.match(/<button[^>]* disabled/g)).toHaveLength(waiting.match(/<button/g)?.length ?? 0);
  const late = commandsFor(runIn.awaiting_approval(), { posting: { ...posting, phase: 'late' } });
  expect(textOf(late)).toContain('Coxswain has not taken it up yet.');
  expect(late).not.toContain(' disabled');
});

const plain = { view: usualView, input: null, news: null };

function as(viewer: Person): Speaker {
  return speakerOf({ viewer });
}

/** The section with the commands, up to the box for comments. */
function commandsFor(run: Story, but: Partial<Speaker>): string {
  const page = runView({ run: runModel(run), speaker: speakerOf(but), ...plain }).text;
  return /<section class="card" id="commands"[\s\S]*?<form class="comment-form"/.exec(page)?.[0] ?? '';
}

function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}
