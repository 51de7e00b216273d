import type { Guidance, Guide, Shown, Track, Words } from '../../app/app.ts';
import type { State } from '../../steering/state/state.ts';
import { isMerged, type Next, placesOf, type Runs, type Story, start } from './stories/story.ts';

interface Stage {
  readonly stories: readonly Story[];
  readonly owner: string;
  readonly repo: string;
  /** Where GitHub's side is; it is known once the forge listens. */
  web(): string;
  /** The repository that somebody brought, as `owner/name`; null if nobody did. */
  readonly own: string | null;
  /** Whether something contains the programs of agents. */
  hasSandbox(): boolean;
}

/** Says what to try next in each story, from the state of its runs alone. */
export function guideTo(stage: Stage): Guide {
  return (shown) => guidance(stage, shown);
}

function guidance(stage: Stage, { at, runs }: Shown): Guidance | null {
  const { stories } = stage;
  // Somebody's own repository has issues with the same numbers.
  if (at !== null && !stories.some((story) => isPlayedIn(story, at, stage))) return null;
  const played = stories.map((story) => ({ story, runs: runsOf(story, runs, stage) }));
  const tracks = played.map(({ story, runs: own }) => {
    const others = played.filter((one) => one.story !== story);
    return trackOf(story, { stage, runs: own, others, at });
  });
  return { title: 'What to try next', intro: at === null ? introOf(stage) : undefined, tracks };
}

interface Place {
  readonly owner: string;
  readonly repo: string;
}

/** Whether this is the repository of a story. */
function isPlayedIn(story: Story, place: Place, { owner, repo }: Place): boolean {
  return place.owner === owner && place.repo === (story.repo ?? repo);
}

function introOf({ owner, repo, web, own, hasSandbox }: Stage): readonly Words[] {
  const side = { text: "GitHub's side of it", href: `${web()}/${owner}/${repo}` };
  return [
    'A run is an agent at work on an issue, in a pull request of its own, and you are ada, who steers it. ',
    'The repositories and the small GitHub around them are on this machine (',
    side,
    '). Here are seven stories to play, in any order or all at once. ',
    'When a run waits for you, the terminal prints the notification that Slack or Teams would show.',
    ...(own === null ? [] : ownRepository(own, web())),
    ...(hasSandbox() ? [] : [withoutSandbox]),
  ];
}

function ownRepository(name: string, web: string): readonly Words[] {
  return [
    ' Your own repository is ',
    { text: name, href: `${web}/${name}` },
    ': ',
    { text: 'write an issue', href: `${web}/${name}/issues/new` },
    ' and put the label ',
    { type: 'coxswain' },
    ' on it.',
  ];
}

const withoutSandbox =
  ' There is no sandbox on this machine, so agents and verifiers run with your own permissions; on Linux, ' +
  'bubblewrap provides one.';

function runsOf(story: Story, runs: Runs, stage: Stage): Runs {
  const numbers = issuesOf(story);
  return runs
    .filter(({ run }) => isPlayedIn(story, run, stage) && run.issue !== null && numbers.includes(run.issue))
    .toSorted((one, other) => one.run.number - other.run.number);
}

function issuesOf({ issue, others = [] }: Story): readonly number[] {
  return [issue, ...others].map(({ number }) => number);
}

interface Played {
  readonly story: Story;
  readonly runs: Runs;
}

function trackOf(
  story: Story,
  {
    stage,
    runs,
    others,
    at,
  }: Omit<Played, 'story'> & {
    readonly stage: Stage;
    readonly others: readonly Played[];
    readonly at: Shown['at'];
  },
): Track {
  const newest = currentIn(story, runs);
  const issue = issuePath(story, stage);
  const { step, words } = newest === undefined ? toStart(story, issue) : nextIn(story, newest, runs, stage);
  const isOver = isTold(story, runs, stage);
  return {
    name: story.title,
    href: newest === undefined ? issue : placesOf(newest, stage.web()).run(),
    isHere:
      at !== null &&
      isPlayedIn(story, at, stage) &&
      [...issuesOf(story), ...runs.map(({ run }) => run.number)].includes(at.number),
    steps: story.steps.map(({ text, isDone }) => {
      const status = isDone(runs) ? 'done' : text === step ? 'now' : 'later';
      return { text, status } as const;
    }),
    now: isOver ? [...words, ...andThen(others, stage)] : words,
  };
}

/** The run of a story that people look at. */
function currentIn(story: Story, runs: Runs): State | undefined {
  return story.current === undefined ? runs.at(-1) : story.current(runs);
}

function issuePath({ repo, issue }: Story, stage: Stage): string {
  return `/${stage.owner}/${repo ?? stage.repo}/issues/${issue.number}`;
}

function toStart({ issue, pitch }: Story, href: string): Next {
  const words = [`${pitch} It begins with a run on `, { text: `issue #${issue.number}`, href }, '.'];
  return { step: start.text, words };
}

function nextIn(story: Story, newest: State, runs: Runs, stage: Stage): Next {
  return story.next(newest, placesOf(newest, stage.web()), runs);
}

/** Whether a story is over: one of several runs may be merged while there is still something to do. */
function isTold(story: Story, runs: Runs, stage: Stage): boolean {
  const newest = currentIn(story, runs);
  if (newest === undefined || !isMerged(newest)) return false;
  return nextIn(story, newest, runs, stage).step === undefined;
}

/** Where to go on when a story is over. */
function andThen(others: readonly Played[], stage: Stage): readonly Words[] {
  const left = others.find(({ story, runs }) => !isTold(story, runs, stage));
  if (left === undefined) return [' That was the last of the seven: Ctrl-C in the terminal ends the demo.'];
  const newest = currentIn(left.story, left.runs);
  const href = newest === undefined ? issuePath(left.story, stage) : placesOf(newest, stage.web()).run();
  return [' Next: ', { text: left.story.title, href }, '.'];
}
