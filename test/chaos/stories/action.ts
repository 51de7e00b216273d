import { type ActionsFixture, at } from '../../action/actions-fixture.ts';
import { plannedFiles, repositoryFiles, succeedingAgent } from '../../action/repository.ts';

/** What people do with one run of the Action; each step has jobs of its own. */
export interface ActionStory {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  /** The phase in which it ends. */
  readonly ends: 'approved' | 'done' | 'rejected';
  play(stage: ActionStage): Promise<void>;
}

export interface ActionStage {
  readonly fixture: ActionsFixture;
  /** The run, started by a label. */
  readonly number: number;
  /** Resolves when no job is running, and the scheduled job has run as well. */
  settle(): Promise<void>;
}

const path = '.github/coxswain.yml';
const merging = { [path]: `${repositoryFiles[path]}approval: { finish: merge }\n` };

const askingAgent = {
  'tools/agent.yml': `turns:
  - on: { prompt: 'The user responded: "Per kilo"' }
    steps:
      - { append: price.txt, content: "per kilo\\n" }
      - report: { summary: The price is per kilo., status: done }
  - steps:
      - { write: price.txt, content: "right\\n" }
      - { ask: What is the price for?, options: [Per piece, Per kilo] }
`,
};

/** Started by a label; the first is the longest, and the others have one job more each. */
export const actionStories: readonly ActionStory[] = [
  {
    name: 'the Action, steered and approved',
    ends: 'approved',
    play: async ({ fixture, number, settle }) => {
      await fixture.comment(number, '/steer Cheaper.');
      await settle();
      await fixture.comment(number, `/approve ${(await fixture.pull(number)).head.sha}`);
    },
  },
  {
    name: 'the Action, asking and answered',
    files: askingAgent,
    ends: 'approved',
    play: async ({ fixture, number, settle }) => {
      await fixture.comment(number, '/answer 2');
      await settle();
      await fixture.comment(number, `/approve ${(await fixture.pull(number)).head.sha}`);
    },
  },
  {
    name: 'the Action, rejected',
    files: succeedingAgent,
    ends: 'rejected',
    play: async ({ fixture, number }) => {
      await fixture.comment(number, '/reject Not worth it.');
    },
  },
  {
    name: 'the Action, approved by a review',
    files: succeedingAgent,
    ends: 'approved',
    play: async ({ fixture: { ada }, number: pull_number }) => {
      await ada.rest.pulls.createReview({ ...at, pull_number, event: 'APPROVE' });
    },
  },
  {
    name: 'the Action, planned and approved',
    files: plannedFiles(),
    ends: 'approved',
    play: async ({ fixture, number, settle }) => {
      await fixture.comment(number, '/approve');
      await settle();
      await fixture.comment(number, `/approve ${(await fixture.pull(number)).head.sha}`);
    },
  },
  {
    name: 'the Action, merged after approval',
    files: { ...succeedingAgent, ...merging },
    ends: 'done',
    play: async ({ fixture, number }) => {
      await fixture.comment(number, '/approve');
    },
  },
];
