import type { ProfileName, ProtocolAgent } from '../../steering/settings.ts';
import type { Environment } from '../environment.ts';

/** What we know of an agent: how it is started, switched off from the branch's settings, and read. */
export interface Profile {
  readonly name: ProfileName | 'acp';
  /** As its makers write it. */
  readonly title: string;
  readonly launch: Launch;
  /** Besides what every program of an attempt gets. */
  environment(given: Given): Environment;
  /** Settings, by their paths in the fresh home of the attempt. */
  homeFiles(given: Given): Readonly<Record<string, string>>;
  /** An example of a model, for agents that do not work unless one is chosen. */
  readonly modelNeeded?: string;
  /** Where in its home it looks for skills by itself; absent: the prompt alone names them. */
  readonly skillsFolder?: string;
  readonly session: {
    /** `_meta` of `session/new`. */
    readonly meta?: Readonly<Record<string, unknown>>;
    /** Set before the first prompt: the mode in which the agent asks us before it acts. */
    readonly mode?: string;
  };
  readonly reading: Reading;
}

/** How an agent is started: by a package that is installed for it, or by a program of the search path. */
export interface Launch {
  /** Pinned: what an agent sends differs from one version to the next. */
  readonly package?: {
    readonly name: string;
    readonly version: string;
    /** The path of `bin` where we install it. */
    readonly program: string;
  };
  /** Where its makers say how to install what has no such package. */
  readonly page?: string;
  /** The program, in the package or on the search path. */
  readonly bin: string;
  readonly args: readonly string[];
  /** Prints its version and ends. */
  readonly versionArgs: readonly string[];
  /** Of Node.js. */
  readonly isScript: boolean;
}

/** What an agent's own settings are made from. */
export interface Given {
  readonly choice: ProtocolAgent;
  /** Where it finds models: addresses of ours, and a key that is worth nothing elsewhere. */
  readonly models: Environment;
}

/** Where an agent's messages differ from the protocol. */
export interface Reading {
  /** The exit code of a command, wherever this agent writes it. */
  exitCode(result: ToolResult): number | undefined;
  /** Whether a command that failed is said to have failed, so that one that is said to be done has not. */
  readonly marksFailures?: true;
  /** The tokens in the answer to a prompt are those of the session so far, instead of the turn's. */
  readonly countsSession?: boolean;
  /** The line of shell in the title of a call, for agents that do not show the call's input. */
  commandIn(title: string): string;
  /** Chunks of text that are about its own settings, not about the task. */
  readonly noise: readonly RegExp[];
  /** Last words of a turn by which it says that its model failed. */
  readonly modelFaults: readonly ModelFault[];
}

/** What is known of the end of a tool call. */
export interface ToolResult {
  readonly rawOutput: unknown;
  readonly content: unknown;
  readonly meta: unknown;
}

export interface ModelFault {
  readonly pattern: RegExp;
  readonly kind: 'model_key' | 'model_unavailable';
}
