import { setTimeout } from 'node:timers/promises';
import type { Octokit } from '@octokit/rest';
import { git } from '../../git/git.ts';
import { inTemporaryFolder } from '../../git/temporary-folder.ts';
import { ourLabel } from '../../github/names.ts';
import { type BlockState, readBlock } from '../../github/show/block.ts';
import { openConcerns } from '../../steering/confidence/evaluation.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { type Phase, shownPhase } from '../../steering/shapes/standing.ts';
import { readingTimeMs } from '../../steering/shapes/time.ts';
import type { State } from '../../steering/state/state.ts';
import { steerFor } from '../../words/index.ts';
import { type Demo, personClient } from './start-demo.ts';
import { otherPlan } from './stories/plan.ts';
import { threeTasks } from './stories/replace.ts';
import type { Story } from './stories/story.ts';

/** How long a step of the session may take; agents and verifiers of the demo take seconds. */
const startMs = 30_000;
const iterationMs = 120_000;

/** What Ada does in a session that plays by itself, and what she waits for. */
export class Session {
  readonly #ada: Octokit;
  readonly #repository: Pick<Demo, 'owner' | 'repo'>;
  readonly #runs: Demo['app']['runs'];
  /** The pull request of the run that is played now. */
  #number = 0;

  constructor({ forge, people, owner, repo, app }: Demo) {
    this.#ada = personClient(forge, people.ada);
    this.#repository = { owner, repo };
    this.#runs = () => app.runs();
  }

  get number(): number {
    return this.#number;
  }

  /** Puts the label on an issue, for the first time or again, and waits for the pull request of the run. */
  async start(issue: number): Promise<void> {
    const address = { ...this.#repository, issue_number: issue };
    const { data } = await this.#ada.rest.issues.listLabelsOnIssue(address);
    if (data.some(({ name }) => name === ourLabel))
      await this.#ada.rest.issues.removeLabel({ ...address, name: ourLabel });
    await this.#ada.rest.issues.addLabels({ ...address, labels: [ourLabel] });
    this.#number = await eventually(`a draft pull request for issue #${issue}`, startMs, () =>
      this.#draftNumber(),
    );
  }

  /** Turns to a run with this title, once it is there. */
  async turnTo(title: string): Promise<void> {
    this.#number = await eventually(`a pull request with the title ${title}`, startMs, async () => {
      const { data } = await this.#ada.rest.pulls.list({ ...this.#repository, state: 'open' });
      return data.find((pull) => pull.title === title)?.number;
    });
  }

  /** Turns back to a run that was left by `turnTo`. */
  turnBack(number: number): void {
    this.#number = number;
  }

  async merge(): Promise<void> {
    await this.#ada.rest.pulls.merge({ ...this.#repository, pull_number: this.#number });
  }

  async say(body: string): Promise<void> {
    const address = { ...this.#repository, issue_number: this.#number };
    await this.#ada.rest.issues.createComment({ ...address, body });
  }

  /** Waits for a phase to appear in the body of the pull request. */
  reach(phase: Phase, iteration = 0): Promise<BlockState> {
    const expected = `#${this.#number} in phase ${phase}, iteration ${iteration}`;
    return eventually(expected, iterationMs, async () => {
      const block = readBlock((await this.#pull()).body ?? '');
      return block?.phase === phase && block.iteration === iteration ? block : undefined;
    });
  }

  /** Waits until nobody has answered the agent in the moment for which it is held. */
  async reachStopped(): Promise<void> {
    const expected = `#${this.#number} waiting for an answer, its agent stopped`;
    await eventually(expected, iterationMs, async () => {
      return this.#state()?.standing.phase === 'awaiting_answer' || undefined;
    });
  }

  /** Waits until the plan of an iteration is on show, and for as long as it takes to read another one. */
  async reachPlan(iteration = 0): Promise<void> {
    await this.reach('awaiting_stage', iteration);
    await eventually(`#${this.#number} with a plan that somebody could read`, startMs, async () => {
      const standing = this.#state()?.standing;
      if (standing?.phase !== 'awaiting_stage') return undefined;
      const readAt = Date.parse(standing.interaction.opened_at) + readingTimeMs;
      // GitHub's times are in seconds.
      return iteration === 0 || Date.now() >= readAt + 1000 || undefined;
    });
  }

  /** What the second opinion would have somebody say, once it is there. */
  async reachConcerns(iteration: number): Promise<string> {
    await this.reach('awaiting_approval', iteration);
    return await eventually(`a concern about #${this.#number}`, startMs, async () => {
      const review = this.#state()?.review;
      const open = review === undefined ? [] : openConcerns(review);
      return open.length === 0 ? undefined : steerFor(open);
    });
  }

  #state(): State | undefined {
    return this.#runs().find(({ run }) => run.number === this.#number);
  }

  async reachReview(): Promise<void> {
    const expected = `#${this.#number} out of draft`;
    await eventually(expected, startMs, async () => ((await this.#pull()).draft ? undefined : true));
  }

  /** GitHub's times are in seconds: what is asked for in the same one counts as asked before the end. */
  async reachClosed(): Promise<void> {
    await eventually(`#${this.#number} closed`, startMs, async () => {
      const { closed_at } = await this.#pull();
      return (closed_at !== null && Date.now() >= Date.parse(closed_at) + 1000) || undefined;
    });
  }

  /** Finds the run that was started last, whose number is the highest. */
  async #draftNumber(): Promise<number | undefined> {
    const { data } = await this.#ada.rest.pulls.list({ ...this.#repository, state: 'open' });
    return data.find(({ draft, number }) => draft && number > this.#number)?.number;
  }

  async #pull() {
    const { data } = await this.#ada.rest.pulls.get({ ...this.#repository, pull_number: this.#number });
    return data;
  }
}

/** A step of the demo that did not happen in time. */
export class TimedOut extends Error {
  override name = 'TimedOut';
}

const pollEveryMs = 100;

/** Polls until `check` returns a value; after the time limit, the error names what was expected. */
export async function eventually<T>(
  expected: string,
  withinMs: number,
  check: () => Promise<T | undefined>,
): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new TimedOut(`expected within ${withinMs / 1000} s: ${expected}`);
    await setTimeout(pollEveryMs);
  }
}

/** What Ada does in each story, when it plays by itself. */
export const plays: Readonly<Record<Story['name'], (session: Session) => Promise<void>>> = {
  discount: async (session) => {
    await session.start(1);
    await session.reach('awaiting_approval');
    await session.say('/steer also handle an empty list');
    await approve(session, 1);
  },
  flaky: async (session) => {
    await session.start(2);
    await session.reach('awaiting_approval');
    await session.say('/reject The test found a real bug: fix the sum');
    await session.reachClosed();
    await session.start(2);
    await approve(session);
  },
  upgrade: async (session) => {
    await session.start(3);
    const { head_sha } = await session.reach('awaiting_resolution');
    await session.say(`/approve ${shortSha(head_sha)} --despite lint`);
    await finish(session);
  },
  question: async (session) => {
    await session.start(4);
    await session.reachStopped();
    await session.say('/answer 2');
    await approve(session);
  },
  replace: async (session) => {
    await session.start(5);
    await session.reach('awaiting_resolution');
    await session.say(threeTasks);
    for (const title of ['Net prices of an invoice', 'Lines of an invoice', 'The whole invoice']) {
      await session.turnTo(title);
      await approve(session);
      if (title !== 'The whole invoice') await session.merge();
    }
  },
  plan: async (session) => {
    await session.start(6);
    await session.reachPlan();
    await session.say(otherPlan);
    await session.reachPlan(1);
    await session.say('/approve');
    await session.say(await session.reachConcerns(1));
    await approve(session, 2);
  },
  queue: async (session) => {
    const numbers: number[] = [];
    for (const issue of [1, 2]) {
      await session.start(issue);
      numbers.push(session.number);
    }
    for (const number of numbers) {
      session.turnBack(number);
      await agree(session);
    }
    for (const number of numbers) {
      session.turnBack(number);
      await session.reach('done');
    }
  },
};

async function approve(session: Session, iteration = 0): Promise<void> {
  await agree(session, iteration);
  await finish(session, iteration);
}

async function agree(session: Session, iteration = 0): Promise<void> {
  const { head_sha } = await session.reach('awaiting_approval', iteration);
  await session.say(`/approve ${shortSha(head_sha)}`);
}

async function finish(session: Session, iteration = 0): Promise<void> {
  await session.reach('approved', iteration);
  await session.reachReview();
}

/** The result of the session, read afterwards from GitHub's API and Git like any other client. */
export async function readOutcome(demo: Demo, number: number, durationMs: number) {
  const requests = requestsOf(demo);
  const { owner, repo, forge, people } = demo;
  const client = personClient(forge, people.ada);
  const { data: pull } = await client.rest.pulls.get({ owner, repo, pull_number: number });
  const block = readBlock(pull.body ?? '');
  if (block === undefined) throw new Error(`pull request #${number} has no block in its body`);
  const { ledger, state, log } = await readLedger(demo, block.ledger);
  const outcome = {
    run: block.run,
    pull_request: {
      number,
      url: pull.html_url,
      draft: pull.draft ?? false,
      state: pull.state,
      labels: pull.labels.map(({ name }) => name),
      body: pull.body ?? '',
    },
    phase: shownPhase(state),
    iterations: state.iterations,
    // All iterations are counted together.
    attempts: state.iterations.reduce((total, { attempts }) => total + attempts, 0),
    score: block.score,
    check_runs: await checkRuns(demo, number),
    ledger,
    requests,
    duration_ms: Math.round(durationMs),
  };
  return { outcome, log };
}

/** Counts only the App's requests, and not those of the people. */
function requestsOf({ forge }: Demo) {
  const own = forge.requests.api.filter(({ actor }) => actor !== 'ada' && actor !== 'grace');
  const by_route: Record<string, number> = {};
  for (const { method, route } of own)
    by_route[`${method} ${route}`] = (by_route[`${method} ${route}`] ?? 0) + 1;
  return { total: own.length, writes: own.filter(({ method }) => method !== 'GET').length, by_route };
}

async function checkRuns({ forge, people, owner, repo }: Demo, number: number) {
  const client = personClient(forge, people.ada);
  const { data: commits } = await client.rest.pulls.listCommits({
    owner,
    repo,
    pull_number: number,
    per_page: 100,
  });
  const runs = await Promise.all(
    commits.map(
      async ({ sha }) => (await client.rest.checks.listForRef({ owner, repo, ref: sha })).data.check_runs,
    ),
  );
  return runs.flat().map(({ name, conclusion, head_sha }) => ({ name, conclusion, head_sha }));
}

function readLedger({ forge, people, owner, repo }: Demo, ref: string) {
  return inTemporaryFolder('ledger', async (dir) => {
    const remote = { url: `${forge.url}/${owner}/${repo}.git`, token: async () => people.ada };
    await git(['init', '--quiet', '--bare', dir]);
    await git(['fetch', '--quiet', remote.url, `+${ref}:${ref}`], { cwd: dir, remote });
    const [head, log, state] = await Promise.all([
      git(['rev-parse', ref], { cwd: dir }),
      git(['log', '--reverse', '--format=%s', ref], { cwd: dir }),
      git(['show', `${ref}:state.json`], { cwd: dir }),
    ]);
    const subjects = log.trim().split('\n');
    // It is our own ledger, which the same version has just written.
    const known = JSON.parse(state) as State;
    return { ledger: { ref, commits: subjects.length, head: head.trim() }, log: subjects, state: known };
  });
}
