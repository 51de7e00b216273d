import { expect, test } from 'vitest';
import { blockOf } from '../../src/github/show/block.ts';
import {
  askText,
  decisionCheck,
  replyText,
  statusText,
  supersededText,
  whyText,
} from '../../src/words/index.ts';
import { runTable } from '../../src/words/run-table.ts';
import { bob, mia } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';

const web = 'https://github.com/acme/service';
const reviewed = (): Story => story().starts().works();
const steered = (): Story => reviewed().says(bob, '/steer use the clock');

test('evidence of what is under review is of what the run is about', () => {
  expect(supersededText(reviewed().state)).toBe('');
  expect(supersededText(reviewed().says(mia, '/approve').confirms().state)).toBe('');
  expect(supersededText(reviewed().says(mia, '/reject no').state)).toBe('');
  expect(supersededText(story().starts().engine.takes().state)).toBe('');
});

test('evidence beside newer work says of which commit it is, and what there is instead', () => {
  const moments = [
    steered(),
    steered().engine.takes(),
    reviewed().says(bob, '/retry'),
    reviewed().says(bob, '/verify').engine.takes(),
    steered().agent.isHeld(),
    steered().agent.fails().agent.fails().agent.fails(),
  ];
  expect(moments.map(({ state }) => supersededText(state))).toMatchInlineSnapshot(`
    [
      "This is from iteration 0, commit abc0001; iteration 1 is in progress.",
      "This is from iteration 0, commit abc0001; iteration 1 is in progress.",
      "This is from iteration 0, commit abc0001; another attempt is in progress.",
      "This is from iteration 0, commit abc0001; the verifiers will run again.",
      "This is from iteration 0, commit abc0001; newer work is not on the branch yet.",
      "This is from iteration 0, commit abc0001; iteration 1 has put no commit on the branch.",
    ]
  `);
});

test('a steer that was written before the evaluation and heard after it is not what was evaluated', () => {
  const run = reviewed();
  run.now -= 3_600_000;
  expect(supersededText(run.says(bob, '/steer use the clock').state)).toBe(
    'This is from iteration 0, commit abc0001; iteration 1 is in progress.',
  );
});

test('an evaluation by a clock that is behind that of GitHub is of the iteration it was made in', () => {
  const run = steered();
  run.now -= 3_600_000;
  expect(supersededText(run.works().state)).toBe('');
});

test('the check run, the reply to /why and the question to people say it', () => {
  const { state } = steered().engine.takes();
  const note = supersededText(state);
  expect(decisionCheck(state, web).summary).toContain(`${note}\n\n**Confidence**`);
  expect(whyText(state, web)).toContain(`${note}\n\n**Confidence**`);
  const stuck = steered().agent.fails().agent.fails().agent.fails().state;
  expect(askText(stuck, web)).toContain(supersededText(stuck));
});

test('so do the replies to /status and /logs, before what they say of it', async () => {
  const { state } = steered().engine.takes();
  const note = supersededText(state);
  expect(statusText(state)).toContain(`${note}\nConfidence: 1.00 (high)`);
  const sources = {
    web,
    diff: async () => undefined,
    outputs: async () => undefined,
    progress: () => ({ progress: undefined, now: new Date(state.updated_at) }),
  };
  expect(await replyText({ say: 'logs', verifier: null }, state, sources)).toContain(`${note}\n\n\`[PASS]`);
  expect(statusText(reviewed().state)).not.toContain('This is of');
});

test("the pull request's body does not give an earlier score for the present iteration", () => {
  const notes = { leftOut: 0, requester: null, restored: null, ciWaits: false };
  const table = ({ state }: Story) => runTable(blockOf(state), notes).split('\n')[0];
  expect(table(reviewed())).toMatch(/iteration 0 of 5, confidence 1\.00 \(high\) at `\w+`/);
  expect(table(steered())).toMatch(/iteration 1 of 5, before that confidence 1\.00 \(high\) at `\w+`/);
});
