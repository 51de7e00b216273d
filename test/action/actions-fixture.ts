import { existsSync } from 'node:fs';
import {
  type Dispatch,
  type Forge,
  type RepositoryEvent,
  type RequestHook,
  startForge,
} from '@coxswain/forge';
import { Octokit } from '@octokit/rest';
import { inject } from 'vitest';
import { type BlockState, readBlock } from '../../src/github/show/block.ts';
import { barrierFolder } from '../app/barrier.ts';
import { type LedgerContent, readLedger } from '../app/ledger-content.ts';
import { repositoryFiles } from './repository.ts';
import { type Outcome, type RunningStep, type Step, startStep } from './runner.ts';
import { type Example, type GitHubEvent, permissions, startsJob } from './workflow.ts';

export const at = { owner: 'acme', repo: 'widgets' } as const;
export const name = 'acme/widgets';

interface FixtureOptions {
  /** Files to add or replace in the repository; null removes one. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** The inputs that the workflow sets under `with`. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Intercepts every request to the forge. */
  readonly onRequest?: RequestHook;
  /** Whether events start jobs as the example workflow says; default true. */
  readonly listening?: boolean;
  /** Which example that is; by default the long one. */
  readonly example?: Example;
}

function filesOf({ files = {} }: FixtureOptions): Record<string, string> {
  const all = Object.entries({ ...repositoryFiles, ...files });
  return Object.fromEntries(all.flatMap(([path, content]) => (content === null ? [] : [[path, content]])));
}

/** A forge with a repository, people, and GitHub Actions that run the built Action. */
export class ActionsFixture {
  readonly forge: Forge;
  readonly ada: Octokit;
  readonly grace: Octokit;
  /** All events of the repository, as workflows receive them. */
  readonly events: GitHubEvent[] = [];
  /** The manual starts, as workflows receive them. */
  readonly dispatched: GitHubEvent[] = [];
  inputs: Readonly<Record<string, string>>;
  listening: boolean;
  readonly #example: Example;
  /** Additional variables of the job. */
  environment: Readonly<Record<string, string>> = existsSync(barrierFolder())
    ? { COXSWAIN_SANDBOX_READABLE: barrierFolder() }
    : {};
  /** GitHub does not notice that a job has ended, as when it loses a runner, which takes it minutes. */
  losesRunners = false;
  permissions: Readonly<Record<string, 'read' | 'write'>> = permissions;
  readonly #token: string;
  readonly #steps = new Set<RunningStep>();
  readonly #running = new Set<Promise<unknown>>();
  #ended: Outcome[] = [];
  #jobs = 1000;
  #clockOffsetMs = 0;

  static async start(options: FixtureOptions = {}): Promise<ActionsFixture> {
    let fixture: ActionsFixture | undefined;
    const now = () => new Date(Date.now() + (fixture ? fixture.#clockOffsetMs : 0));
    const forge = await startForge({
      now,
      ...(options.onRequest && { onRequest: options.onRequest }),
      onEvent: (event) => fixture?.deliver(event),
      onDispatch: (dispatch) => void fixture?.onDispatch(dispatch),
    });
    const { seed } = forge;
    const tokens = { ada: seed.addUser('ada'), grace: seed.addUser('grace') };
    seed.addOrganization('acme');
    await seed.addRepository({ ...at, name: at.repo, files: filesOf(options) });
    seed.setCollaborator(name, 'ada', 'maintain');
    seed.setCollaborator(name, 'grace', 'read');
    seed.settings(name, { actions_may_create_pull_requests: true });
    fixture = new ActionsFixture(forge, { tokens, ...options });
    return fixture;
  }

  private constructor(
    forge: Forge,
    {
      tokens,
      inputs = {},
      listening = true,
      example = 'coxswain',
    }: FixtureOptions & { tokens: { ada: string; grace: string } },
  ) {
    this.forge = forge;
    this.#token = tokens.ada;
    this.ada = this.as(tokens.ada);
    this.grace = this.as(tokens.grace);
    this.inputs = inputs;
    this.listening = listening;
    this.#example = example;
  }

  /** A client that uses this token. */
  as(token: string): Octokit {
    return new Octokit({ auth: token, baseUrl: this.forge.apiUrl });
  }

  /** Events caused by a GITHUB_TOKEN start no workflows, except a dispatch. */
  deliver({ event, payload, by_actions }: RepositoryEvent): void {
    const delivered = { name: event, payload };
    this.events.push(delivered);
    if (this.listening && !by_actions && startsJob(delivered, this.#example)) this.start(delivered);
  }

  async onDispatch({ ref, inputs }: Dispatch): Promise<void> {
    const began = this.#payload({ ref, inputs, workflow: '.github/workflows/coxswain.yml' });
    this.#running.add(began);
    const event = { name: 'workflow_dispatch', payload: await began };
    this.dispatched.push(event);
    this.start(event);
    this.#running.delete(began);
  }

  /** The payload of an event for which there is no webhook. */
  async #payload(facts: object): Promise<Record<string, unknown>> {
    const { data: repository } = await this.ada.rest.repos.get(at);
    const { data: sender } = await this.ada.rest.users.getAuthenticated();
    return { ...facts, repository, sender };
  }

  /** Starts a job for an event, as GitHub would. */
  start(event: GitHubEvent, given: Partial<Step> = {}): RunningStep {
    this.#jobs += 1;
    const runId = given.runId ?? this.#jobs;
    const running = startStep({
      main: inject('action').main,
      event,
      inputs: this.inputs,
      token: this.forge.seed.actionsToken(name, { ...this.permissions }),
      repository: name,
      github: this.forge,
      environment: this.environment,
      ...given,
      runId,
    });
    const began = this.#noteRun({ id: runId, status: 'in_progress', conclusion: null });
    const ended = running.outcome.then(async (outcome) => {
      await began;
      const conclusion = outcome.code === 0 ? 'success' : 'failure';
      if (!this.losesRunners) await this.#noteRun({ id: runId, status: 'completed', conclusion });
      this.#ended.push(outcome);
    });
    this.#steps.add(running);
    void running.outcome.finally(() => this.#steps.delete(running));
    this.#running.add(ended);
    void ended.finally(() => this.#running.delete(ended));
    return running;
  }

  /** Ends all jobs as a lost machine does. */
  killJobs(): void {
    for (const { child } of this.#steps) child.kill('SIGKILL');
  }

  async #noteRun(run: Parameters<Forge['seed']['setWorkflowRun']>[1]): Promise<void> {
    await this.forge.seed.setWorkflowRun(name, run);
  }

  /** Ada starts the workflow manually. */
  async dispatch(inputs: Readonly<Record<string, string>>, ref = 'main'): Promise<Outcome> {
    const workflow = { ...at, workflow_id: 'coxswain.yml', ref };
    await this.ada.rest.actions.createWorkflowDispatch({ ...workflow, inputs: { ...inputs } });
    return this.onlyFinishedJob();
  }

  /** Starts a job for the last event. */
  startForLastEvent(): RunningStep {
    const event = this.events.at(-1);
    if (event === undefined) throw new Error('nothing has happened yet');
    return this.start(event);
  }

  /** Runs the scheduled job. GitHub's payload for it contains the repository, but no sender. */
  async sweep(given: Partial<Step> = {}): Promise<Outcome> {
    const { sender: _, ...payload } = await this.#payload({ schedule: '17 * * * *' });
    return this.start({ name: 'schedule', payload }, given).outcome;
  }

  /** Waits until no job is running; returns those that ended since the last call. */
  async finishedJobs(): Promise<readonly Outcome[]> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Like `finishedJobs`, but expects exactly one. */
  async onlyFinishedJob(): Promise<Outcome> {
    const [outcome, ...others] = await this.finishedJobs();
    if (outcome !== undefined && others.length === 0) return outcome;
    throw new Error(`expected one job, found ${outcome === undefined ? 0 : others.length + 1}`);
  }

  /** The job that ends next; others may still be running. */
  async nextFinishedJob(): Promise<Outcome> {
    while (this.#ended.length === 0 && this.#running.size > 0) await Promise.race(this.#running);
    const outcome = this.#ended.shift();
    if (outcome === undefined) throw new Error('no job is running');
    return outcome;
  }

  /** Advances GitHub's clock. */
  advanceClock({ hours = 0, minutes = 0, seconds = 0 }): void {
    this.#clockOffsetMs += ((hours * 60 + minutes) * 60 + seconds) * 1000;
  }

  /** Creates an issue with the label that starts a run; returns its number. */
  async labeledIssue(title = 'The price is unknown', label = 'coxswain'): Promise<number> {
    const { data } = await this.ada.rest.issues.create({ ...at, title, body: 'Find out.' });
    await this.ada.rest.issues.addLabels({ ...at, issue_number: data.number, labels: [label] });
    return data.number;
  }

  async comment(number: number, body: string, who: Octokit = this.ada): Promise<number> {
    const { data } = await who.rest.issues.createComment({ ...at, issue_number: number, body });
    return data.id;
  }

  async pull(number: number) {
    return (await this.ada.rest.pulls.get({ ...at, pull_number: number })).data;
  }

  /** The state in the pull request's body. */
  async block(number: number): Promise<BlockState> {
    const { body } = await this.pull(number);
    const block = readBlock(body ?? '');
    if (block === undefined) throw new Error(`#${number} has no block`);
    return block;
  }

  /** The comments by GitHub Actions on an issue or pull request, without their markers. */
  async replies(number: number): Promise<readonly string[]> {
    return (await this.#comments(number)).map((body) => body.replace(/<!--[\s\S]*?-->/g, '').trim());
  }

  /** The markers by which these comments are recognized. */
  async markers(number: number): Promise<readonly string[]> {
    return (await this.#comments(number)).flatMap((body) => body.match(/<!-- coxswain:.*? -->/g) ?? []);
  }

  async #comments(number: number): Promise<readonly string[]> {
    const { data } = await this.ada.rest.issues.listComments({ ...at, issue_number: number, per_page: 100 });
    return data.filter(({ user }) => user?.login === 'github-actions[bot]').map(({ body = '' }) => body);
  }

  async ledger(number: number): Promise<LedgerContent> {
    const story = await readLedger(`${this.forge.url}/${name}.git`, this.#token, number);
    if (story === undefined) throw new Error(`#${number} has no ledger`);
    return story;
  }

  async end(): Promise<void> {
    await this.finishedJobs();
    await this.forge.stop();
  }
}
