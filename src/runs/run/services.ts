import type { ModelKeys } from '../../config/model-problem.ts';
import type { Operator } from '../../config/read.ts';
import type { Engine } from '../../engine/engine.ts';
import type { StartRequest } from '../../github/listen/heard.ts';
import type { Log } from '../../github/octokit/connect.ts';
import type { PullTarget } from '../../github/write/pull-target.ts';
import type { Notifier } from '../../notify/target-message.ts';
import type { ConfiguringInputs } from '../../repository/configuration.ts';
import type { FormerRuns } from '../../repository/former-runs.ts';
import type { Clock } from '../../repository/github-clock.ts';
import type { OtherProcesses } from '../../repository/other-processes.ts';
import type { ProgressBoard } from '../../repository/progress-board.ts';
import type { Repository } from '../../repository/repository.ts';
import type { StrangerLimit } from '../../repository/stranger-limit.ts';
import type { Seals } from '../../seal/seals.ts';
import type { State } from '../../steering/state/state.ts';

/** What all runs of a process share; each entry point assembles its own. */
export interface Services {
  /** For runs of the other presenter, events are only recorded. */
  readonly presenter: 'app' | 'action';
  /** The App's, which prove what it wrote; the Action has none. */
  readonly seals?: Seals | undefined;
  /** The folder for mirrors, ledgers and worktrees; may be deleted at any time. */
  readonly data: string;
  readonly operator: Operator;
  /** The path of the configuration, always read from the default branch. */
  readonly configPath: string;
  /** What the Action's workflow has for a configuration where there is no such file. */
  readonly inputs?: ConfiguringInputs | undefined;
  /** What former runs came to, for what later ones are trusted by; the App's. */
  readonly formerRuns?: FormerRuns | undefined;
  /** The runs whose ledgers are sealed with a key that we do not have. */
  readonly unknownKeys: Map<string, string>;
  /** Replicas of the App. The jobs of the Action always reckon with others. */
  readonly others?: OtherProcesses | undefined;
  /** Called before a run begins or goes on after its end, so that the repository is swept from now on. */
  readonly noteRun?: (repository: Repository) => Promise<void>;
  /**
   * Proposes a configuration where a repository has none, and resolves to what the reply says about it;
   * undefined if there is nothing to propose. The App's.
   */
  readonly proposeSetup?: ((wanted: WantedSetup) => Promise<string | undefined>) | undefined;
  /** The keys of models that agents here can use. */
  readonly modelKeys?: ModelKeys | undefined;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  /** How much is done for people without write access. */
  readonly strangers: StrangerLimit;
  /** The operator's targets, which runs notify; absent where there are none. */
  readonly notifier?: Notifier | undefined;
  /** Told the newest state of a run whenever this process has read or recorded one. Must not throw. */
  readonly onState?: ((repository: Repository, state: State) => void) | undefined;
  /** Values to redact from everything that is posted. */
  readonly secrets: readonly string[];
  /** Where people find the details of a run; undefined if there is no such place. */
  readonly detailsUrl?: ((run: RunPlace) => string | undefined) | undefined;
  /** What the agents of this process are doing. */
  readonly progress?: ProgressBoard | undefined;
  /** How often that is drawn on a pull request at most, in milliseconds; 30,000 by default. */
  readonly workEveryMs?: number | undefined;
  /** How long a phase with work in progress must last to be rendered; by default the presenter's value. */
  readonly renderAfterMs?: number | undefined;
}

/** What a proposal of a configuration is for. */
export interface WantedSetup {
  readonly repository: Repository;
  readonly request: StartRequest;
  /** Where the configuration was looked for. */
  readonly where: { readonly path: string; readonly ref: string };
}

/** A run, by the current names of its repository. */
export interface RunPlace {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  /** The repository's address on the web. */
  readonly web: string;
  readonly state: State;
}

/** An issue or a pull request of a repository, as a target for comments. */
export function targetOf(
  { octokit, own, owner, name: repo, id: repository_id }: Repository,
  number: number,
  { presenter, log, clock, secrets, others }: Services,
): PullTarget {
  const id = `${owner}/${repo}#${number}`;
  const run = { id, repository_id, owner, repo, number, presenter };
  return { octokit, own, log, clock, secrets, others, run };
}
