import type { ProtocolAgent } from '../steering/shapes/settings.ts';

export type Variables = Readonly<Record<string, string>>;

/** What is needed to let an agent work: how to start it, keep it from the branch's settings, and read it. */
export interface Profile {
  /** What `agent.use` says; `acp` for an agent of which we know only that it speaks the protocol. */
  readonly name: string;
  /** Its name as its makers write it. */
  readonly title: string;
  readonly launch: Launch;
  /** Variables that it gets besides those of every program of an attempt. */
  environment(given: Given): Variables;
  /** Settings, by their paths in the fresh home of the attempt. */
  homeFiles?(given: Given): Variables;
  /** An example of a model, for agents that do not work unless one is chosen. */
  readonly modelNeeded?: string;
  /** Where in its home it looks for skills by itself; absent: the prompt alone names them. */
  readonly skillsFolder?: string;
  readonly session?: {
    /** What `session/new` has as its `_meta`. */
    readonly meta?: Readonly<Record<string, unknown>>;
    /** Set before the first prompt: the mode in which the agent asks us before it acts. */
    readonly mode?: string;
  };
  readonly reading: Reading;
}

/** An agent that is known by name: all that is known of it, and that any part of Coxswain has to know. */
export interface NamedProfile extends Profile {
  /**
   * What it puts before us ahead of doing it: every call that acts on the world; all but the commands that
   * its own sandbox allows, whatever they do; or nothing.
   */
  readonly asks: 'every_call' | 'escalations' | 'nothing';
  /** The variables that may hold its model's key, in the order in which they count. */
  readonly keys: readonly string[];
  /** Whether `agent.model` and `agent.effort` reach it. */
  readonly takes: { readonly model: boolean; readonly effort: boolean };
  readonly paths: {
    /**
     * Where it keeps settings and sessions in a home. All are removed before an agent starts: set-up has run
     * there, and what the branch brings could have left settings by which an agent asks nobody.
     */
    readonly home: readonly string[];
    /**
     * Its configuration in a repository: it can switch off permission prompts or start programs, and anyone
     * who can push to the branch can write it. The agent does not see it, and changes of it wait for people.
     */
    readonly workspace: readonly string[];
    /**
     * What it takes for instructions, which it sees as the default branch has them: a name in any folder and
     * any case, or a path with a slash.
     */
    readonly instructions: readonly string[];
  };
  /** Cells of a table in docs/agents.md: how it is configured, and where it finds the key of its model. */
  readonly recipe: { readonly configuration: string; readonly key: string };
}

/** Who runs models, with the variables of their keys. */
export const openai = ['OPENAI_API_KEY'];
export const anthropic = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
export const google = ['GEMINI_API_KEY', 'GOOGLE_API_KEY'];

/** Every variable that holds the key of a model. */
export const modelKeys = [...anthropic, ...openai, ...google];

/** What agents share, and what Cursor reads, which speaks the protocol and has no profile. */
export const shared: NamedProfile['paths'] = {
  home: ['.agents', '.cursor'],
  workspace: ['.mcp.json', '.cursor'],
  instructions: ['AGENTS.md', '.agents', '.cursorrules'],
};

/** Where programs keep settings, data, state and caches in a home, as the XDG base directories have it. */
export function inBaseDirectories(name: string): readonly string[] {
  return ['.config', '.local/share', '.local/state', '.cache'].map((folder) => `${folder}/${name}`);
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
}

/** What an agent's own settings are made from. */
export interface Given {
  readonly choice: ProtocolAgent;
  /** Where it finds models: addresses of ours, and a key that is worth nothing elsewhere. */
  readonly models: Variables;
  /** The folder of the branch, as the agent sees it: without what the branch has at `paths.workspace`. */
  readonly workspace: string;
  /** The servers of the configuration and ours, for agents that take none when a session begins. */
  readonly servers: readonly ToolServer[];
}

/** A server of tools, as it is started for an agent. */
export interface ToolServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Where an agent's messages differ from the protocol. */
export interface Reading {
  /** The exit code of a command, wherever this agent writes it. */
  exitCode(result: ToolResult): number | undefined;
  /** Whether a command that failed is said to have failed, so that one that is said to be done has not. */
  readonly marksFailures?: true;
  /** The tokens in the answer to a prompt are those of the session so far, instead of the turn's. */
  readonly countsSession?: boolean;
  /** The line of shell in the title of a call, for agents that show no input; without it, the whole title. */
  commandIn?(title: string): string;
  /** Chunks of text that are about its own settings, not about the task. */
  readonly noise?: readonly RegExp[];
  /** Last words of a turn by which it says that its model failed. */
  readonly modelFaults?: readonly ModelFault[];
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

export type Path = readonly (string | number)[];

/** The first integer that is found at one of these paths. */
export function exitCodeAt(...paths: readonly Path[]): (result: ToolResult) => number | undefined {
  return (result) => paths.map((path) => at(result, path)).find(isExitCode);
}

/** Where the agents that we know write exit codes; for those that we do not know. */
export const usualExitCode = exitCodeAt(
  ['rawOutput', 'exitCode'],
  ['rawOutput', 'exit_code'],
  ['rawOutput', 'metadata', 'exit'],
  ['meta', 'terminal_exit', 'exit_code'],
);

/** Some agents only write it, as the first line of what the command printed. */
export function writtenExitCode({ rawOutput, content }: ToolResult): number | undefined {
  for (const text of [...texts(rawOutput), ...texts(content)]) {
    const [, code] = /^\W*exit code:? (-?\d{1,10})\b/i.exec(text) ?? [];
    if (code !== undefined) return Number(code);
  }
  return undefined;
}

function texts(value: unknown, depth = 3): readonly string[] {
  if (typeof value === 'string') return [value];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  const parts = Array.isArray(value) ? value.slice(0, 20) : [at(value, ['text']), at(value, ['content'])];
  return parts.flatMap((part) => texts(part, depth - 1));
}

function isExitCode(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** A title that is the command, perhaps quoted as code. */
export function titleAsCommand(title: string): string {
  return /^`([^`]+)`$/.exec(title.trim())?.[1] ?? title;
}

/** What is at a path in a value; undefined if there is no such thing. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => {
    const isObject = typeof inner === 'object' && inner !== null;
    return isObject && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined;
  }, value);
}
