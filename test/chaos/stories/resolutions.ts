import type { AppFixture } from '../../app/app-fixture.ts';
import { at } from '../../app/person.ts';
import type { PullClient } from '../../app/pull-client.ts';
import { config } from '../../app/widgets.ts';
import type { Story } from '../story.ts';

const oneAttempt = { '.github/coxswain.yml': `${config}attempts: { max: 1 }\n` };

/** Two tasks of which the second goes on from the first. */
const twoTasks = `/spawn
\`\`\`coxswain
name: parse
title: Parse the time
description: "agent: file src/parse.txt"
---
name: show
title: Show the time
description: "agent: file src/show.txt"
depends_on: [parse]
\`\`\``;

/** A failed task is replaced or given up, and tasks wait for others. */
export const resolutions: readonly Story[] = [
  {
    name: 'replaced by two of which one depends on the other',
    options: { files: oneAttempt },
    play: async ({ fixture }) => {
      const { ada } = fixture;
      const pull = await failedRun(fixture);
      await ada.says(pull, twoTasks);
      await pull.waitForPhase('abandoned');
      await pull.waitForClosed();
      const [first, second] = [ada.looksAt(pull.number + 1), ada.looksAt(pull.number + 2)];
      await approveAndMerge(fixture, first);
      await approveAndMerge(fixture, second);
      await waitForIssue(fixture, pull.number - 1);
      return pull;
    },
  },
  {
    name: 'depending on another',
    play: async ({ fixture }) => {
      const { ada } = fixture;
      const pull = await ada.starts('agent: file src/parse.txt');
      await pull.waitForPhase('awaiting_approval');
      const dependent = await ada.starts(`agent: file src/show.txt\n\nDepends on #${pull.number - 1}.`);
      await dependent.waitForPhase('blocked');
      await approveAndMerge(fixture, pull);
      await approveAndMerge(fixture, dependent);
      return dependent;
    },
  },
  {
    name: 'given up while another depends on it',
    options: { files: oneAttempt },
    play: async ({ fixture }) => {
      const { ada } = fixture;
      const pull = await failedRun(fixture);
      const dependent = await ada.starts(`agent: file src/show.txt\n\nDepends on #${pull.number}.`);
      await dependent.waitForPhase('blocked');
      await ada.says(pull, '/abandon Nobody needs it.');
      await pull.waitForPhase('abandoned');
      await pull.waitForClosed();
      await dependent.waitForComment(/closed without a merge/);
      return pull;
    },
  },
];

async function failedRun({ ada }: AppFixture): Promise<PullClient> {
  const pull = await ada.starts('agent: red');
  await pull.waitForPhase('awaiting_resolution');
  return pull;
}

async function approveAndMerge({ ada, mia }: AppFixture, pull: PullClient): Promise<void> {
  const { head_sha } = await pull.waitForPhase('awaiting_approval');
  await ada.says(pull, `/approve ${head_sha}`);
  await pull.waitForPhase('approved');
  await pull.waitForDraft(false);
  await mia.merges(pull);
  await pull.waitForPhase('done');
}

async function waitForIssue({ ada }: AppFixture, issue_number: number): Promise<void> {
  await ada.looksAt(issue_number).waitUntil(`issue #${issue_number} to be closed`, async () => {
    const { data } = await ada.octokit.rest.issues.get({ ...at, issue_number });
    return data.state === 'closed' || undefined;
  });
}
