import type { Phase } from '../../src/steering/shapes/standing.ts';

/** A run as people steer it. */
export interface MailedRun {
  /** Says it, as Ada or somebody else, and waits until it is accepted. */
  says(body: string, login?: 'bob'): Promise<void>;
  /** Approves the head that GitHub shows. */
  approves(login?: 'bob'): Promise<void>;
  /** Waits until GitHub shows the run in the phase, in that iteration if one is given. */
  reaches(phase: Phase, iteration?: number): Promise<void>;
  /** Lets an agent end that waits for it. */
  release(): Promise<void>;
}

/** What happens in a run whose mails are counted. */
export interface Course {
  readonly name: string;
  readonly what: string;
  /** The text, which says to the scripted agent what to do. */
  readonly task: string;
  /** Added to the configuration. */
  readonly settings?: string;
  /** The fewest mails with which people hear of the run, of each time that it asks them, and of its end. */
  readonly floor: number;
  /** The most that there may be. */
  readonly most?: number;
  readonly play: (run: MailedRun) => Promise<void>;
}

const merging = 'approval: { finish: merge }';
const isApproved = async (run: MailedRun, iteration = 0) => {
  await run.reaches('awaiting_approval', iteration);
  await run.approves();
};

export const courses: readonly Course[] = [
  {
    name: 'undisturbed',
    what: 'a run that is approved and left to people',
    task: 'Just do it.',
    floor: 2,
    most: 3,
    play: isApproved,
  },
  {
    name: 'merged',
    what: 'the same, merged by Coxswain',
    task: 'Just do it.',
    settings: merging,
    floor: 3,
    most: 3,
    play: isApproved,
  },
  {
    name: 'steered',
    what: 'the same with one steer',
    task: 'Just do it.',
    settings: merging,
    floor: 4,
    most: 4,
    play: async (run) => {
      await run.reaches('awaiting_approval');
      await run.says('/steer once more');
      await isApproved(run, 1);
    },
  },
  {
    name: 'steered_at_work',
    what: 'the same, steered while the agent works',
    task: 'Wait until you are released.',
    settings: merging,
    floor: 3,
    most: 4,
    play: async (run) => {
      await run.says('/steer once more');
      await run.release();
      await isApproved(run, 1);
    },
  },
  {
    name: 'failed_attempt',
    what: 'one whose first attempt fails a verifier',
    task: 'Fail first.',
    floor: 2,
    most: 3,
    play: isApproved,
  },
  {
    name: 'question',
    what: 'one whose agent asks a question',
    task: 'Ask first.',
    floor: 3,
    play: async (run) => {
      await run.reaches('awaiting_answer');
      await run.says('/answer 1');
      await isApproved(run);
    },
  },
  {
    name: 'rejected',
    what: 'one that is rejected',
    task: 'Just do it.',
    floor: 3,
    most: 3,
    play: async (run) => {
      await run.reaches('awaiting_approval');
      await run.says('/reject not like that');
    },
  },
  {
    name: 'two_approvals',
    what: 'one that two people have to approve, who are asked by name',
    task: 'Just do it.',
    settings: 'approval: { required: 2, by: ["@ada", "@bob"] }',
    floor: 4,
    play: async (run) => {
      await isApproved(run);
      await run.approves('bob');
    },
  },
];

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers:
  - { name: test, run: '! grep -rn BROKEN src' }
sandbox: 'off'
`;

const work = `      - { append: src/work.js, content: "// One more line\\n" }
      - { report: { summary: Added a line, status: done } }
`;

/** `gate`: a file that is there once an agent that waits for it may end. */
function agentFor(gate: string): string {
  return `turns:
  - on: { prompt: [Fail first, BROKEN] }
    steps:
      - { write: src/index.js, content: "export {};\\n" }
${work}  - on: { prompt: Fail first }
    steps:
      - { write: src/index.js, content: "BROKEN\\n" }
  - on: { prompt: [Ask first, You previously asked] }
    steps:
${work}  - on: { prompt: Ask first }
    steps:
      - { ask: Which of them?, options: [This, That] }
  - on: { prompt: Wait until, iteration: 0 }
    steps:
      - { run: 'until test -e ${gate}; do sleep 0.1; done' }
${work}  - steps:
${work}`;
}

/** The repository in which a course is played. */
export function filesFor({ settings = '' }: Course, gate: string): Readonly<Record<string, string>> {
  return {
    'src/index.js': 'export {};\n',
    '.github/coxswain.yml': `${config}${settings}\n`,
    'tools/agent.yml': agentFor(gate),
  };
}
