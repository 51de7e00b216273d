import { type Dispatch, type Forge, type RepositoryEvent, startForge } from '@coxswain/forge';
import { Octokit } from '@octokit/rest';
import { inject } from 'vitest';
import { readBlock } from '../../src/github/show/block.ts';
import type { BlockState } from '../../src/github/show/block-state.ts';
import { type LedgerStory, readLedger } from '../app/ledger-story.ts';
import { repositoryFiles } from './repository.ts';
import { type Outcome, type RunningStep, type Step, startStep } from './runner.ts';
import { type GitHubEvent, permissions, startsJob } from './workflow.ts';

export const at = { owner: 'acme', repo: 'widgets' } as const;
export const name = 'acme/widgets';

export interface StageOptions {
  readonly files?: Readonly<Record<string, string>>;
  /** What the workflow gives under `with`. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Whether events start jobs by themselves, as the example workflow says; so unless told otherwise. */
  readonly listening?: boolean;
}

/** A small GitHub with a repository, people, and GitHub Actions that run the built Action. */
export class Stage {
  readonly forge: Forge;
  readonly ada: Octokit;
  readonly grace: Octokit;
  /** Everything that happened in the repository, as GitHub tells workflows. */
  readonly events: GitHubEvent[] = [];
  inputs: Readonly<Record<string, string>>;
  listening: boolean;
  /** Further variables of the job. */
  environment: Readonly<Record<string, string>> = {};
  permissions: Readonly<Record<string, 'read' | 'write'>> = permissions;
  readonly #token: string;
  readonly #underWay = new Set<Promise<unknown>>();
  #ended: Outcome[] = [];
  #jobs = 1000;
  #aheadMs = 0;

  static async set(options: StageOptions = {}): Promise<Stage> {
    let stage: Stage | undefined;
    const now = () => new Date(Date.now() + (stage ? stage.#aheadMs : 0));
    const forge = await startForge({
      now,
      onEvent: (event) => stage?.translate(event),
      onDispatch: (dispatch) => void stage?.dispatched(dispatch),
    });
    const { seed } = forge;
    const tokens = { ada: seed.addUser('ada'), grace: seed.addUser('grace') };
    seed.addOrganization('acme');
    await seed.addRepository({ ...at, name: at.repo, files: { ...repositoryFiles, ...options.files } });
    seed.setCollaborator(name, 'ada', 'maintain');
    seed.setCollaborator(name, 'grace', 'read');
    seed.settings(name, { actions_may_create_pull_requests: true });
    stage = new Stage(forge, { tokens, ...options });
    return stage;
  }

  private constructor(
    forge: Forge,
    { tokens, inputs = {}, listening = true }: StageOptions & { tokens: { ada: string; grace: string } },
  ) {
    this.forge = forge;
    this.#token = tokens.ada;
    this.ada = this.as(tokens.ada);
    this.grace = this.as(tokens.grace);
    this.inputs = inputs;
    this.listening = listening;
  }

  /** The client of whoever has this token. */
  as(token: string): Octokit {
    return new Octokit({ auth: token, baseUrl: this.forge.apiUrl });
  }

  /** A GITHUB_TOKEN starts no workflows; only a dispatch does, whoever makes it. */
  translate({ event, payload, by_actions }: RepositoryEvent): void {
    const told = { name: event, payload };
    this.events.push(told);
    if (this.listening && !by_actions && startsJob(told)) this.start(told);
  }

  async dispatched({ ref, inputs }: Dispatch): Promise<void> {
    const began = this.#payload({ ref, inputs, workflow: '.github/workflows/coxswain.yml' });
    this.#underWay.add(began);
    this.start({ name: 'workflow_dispatch', payload: await began });
    this.#underWay.delete(began);
  }

  /** The payload of an event that is no webhook's. */
  async #payload(facts: object): Promise<Record<string, unknown>> {
    const { data: repository } = await this.ada.rest.repos.get(at);
    return { ...facts, repository, sender: { login: 'ada', type: 'User' } };
  }

  /** Starts a job for an event, as GitHub would. */
  start(event: GitHubEvent, given: Partial<Step> = {}): RunningStep {
    this.#jobs += 1;
    const running = startStep({
      main: inject('action').main,
      event,
      inputs: this.inputs,
      token: this.forge.seed.actionsToken(name, { ...this.permissions }),
      repository: name,
      github: this.forge,
      runId: this.#jobs,
      environment: this.environment,
      ...given,
    });
    const ended = running.outcome.then((outcome) => void this.#ended.push(outcome));
    this.#underWay.add(ended);
    void ended.finally(() => this.#underWay.delete(ended));
    return running;
  }

  /** Ada starts the workflow by hand. */
  async byHand(inputs: Readonly<Record<string, string>>, ref = 'main'): Promise<Outcome> {
    const workflow = { ...at, workflow_id: 'coxswain.yml', ref };
    await this.ada.rest.actions.createWorkflowDispatch({ ...workflow, inputs: { ...inputs } });
    return this.onlyJob();
  }

  /** Starts a job for what happened last. */
  startLast(): RunningStep {
    const event = this.events.at(-1);
    if (event === undefined) throw new Error('nothing has happened yet');
    return this.start(event);
  }

  /** Runs the scheduled job. GitHub's payload of it names the repository, but no sender. */
  async sweep(given: Partial<Step> = {}): Promise<Outcome> {
    const { sender: _, ...payload } = await this.#payload({ schedule: '17 * * * *' });
    return this.start({ name: 'schedule', payload }, given).outcome;
  }

  /** When no job runs any more: what has ended since the last time. */
  async settled(): Promise<readonly Outcome[]> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** The one job that has ended since the last time. */
  async onlyJob(): Promise<Outcome> {
    const [outcome, ...others] = await this.settled();
    if (outcome !== undefined && others.length === 0) return outcome;
    throw new Error(`expected one job, saw ${outcome === undefined ? 0 : others.length + 1}`);
  }

  /** The job that ends next, while others go on. */
  async nextJob(): Promise<Outcome> {
    while (this.#ended.length === 0 && this.#underWay.size > 0) await Promise.race(this.#underWay);
    const outcome = this.#ended.shift();
    if (outcome === undefined) throw new Error('no job is under way');
    return outcome;
  }

  /** GitHub's time goes on at once. */
  passes({ hours = 0, minutes = 0, seconds = 0 }): void {
    this.#aheadMs += ((hours * 60 + minutes) * 60 + seconds) * 1000;
  }

  /** An issue with the label that starts a run; its number. */
  async labeledIssue(title = 'The price is unknown', label = 'coxswain'): Promise<number> {
    const { data } = await this.ada.rest.issues.create({ ...at, title, body: 'Find out.' });
    await this.ada.rest.issues.addLabels({ ...at, issue_number: data.number, labels: [label] });
    return data.number;
  }

  async say(number: number, body: string, who: Octokit = this.ada): Promise<number> {
    const { data } = await who.rest.issues.createComment({ ...at, issue_number: number, body });
    return data.id;
  }

  async pull(number: number) {
    return (await this.ada.rest.pulls.get({ ...at, pull_number: number })).data;
  }

  /** What the pull request's block says. */
  async block(number: number): Promise<BlockState> {
    const { body } = await this.pull(number);
    const block = readBlock(body ?? '');
    if (block === undefined) throw new Error(`#${number} has no block`);
    return block;
  }

  /** What GitHub Actions said on an issue or a pull request, without the markers. */
  async replies(number: number): Promise<readonly string[]> {
    return (await this.#said(number)).map((body) => body.replace(/<!--[\s\S]*?-->/g, '').trim());
  }

  /** By which each of these comments is found again. */
  async markers(number: number): Promise<readonly string[]> {
    return (await this.#said(number)).flatMap((body) => body.match(/<!-- coxswain:.*? -->/g) ?? []);
  }

  async #said(number: number): Promise<readonly string[]> {
    const { data } = await this.ada.rest.issues.listComments({ ...at, issue_number: number, per_page: 100 });
    return data.filter(({ user }) => user?.login === 'github-actions[bot]').map(({ body = '' }) => body);
  }

  async ledger(number: number): Promise<LedgerStory> {
    const story = await readLedger(`${this.forge.url}/${name}.git`, this.#token, number);
    if (story === undefined) throw new Error(`#${number} has no ledger`);
    return story;
  }

  async end(): Promise<void> {
    await this.settled();
    await this.forge.stop();
  }
}
