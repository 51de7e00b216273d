import { resolve } from 'node:path';
import { githubLimits, type WriteLimits } from '../github/octokit/token-bucket.ts';
import type { SandboxMode } from '../steering/settings.ts';

/** What the App needs to know, wherever it is mounted. */
export interface AppSettings {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** REST: `https://api.github.com`, or `…/api/v3` of an Enterprise Server. */
  readonly apiUrl: string;
  /** Where mirrors and worktrees are kept; may be thrown away while the App is down. */
  readonly data: string;
  /** Attempts at once. */
  readonly concurrency: number;
  readonly sandbox: SandboxMode;
  /** What agents get of our own environment, by name: a model's key, an endpoint. */
  readonly agentEnvironment: Readonly<Record<string, string>>;
  /**
   * What the operator keeps secret besides the private key, to be redacted from everything that is written.
   */
  readonly secrets: readonly string[];
  /** Where keys may lie on disk, for the sandbox to hide. */
  readonly keyFiles: readonly string[];
  /** How often missed webhooks and overdue work are looked for, in milliseconds. */
  readonly sweepEveryMs: number;
  /** How long a phase in which work goes on must last to be drawn, in milliseconds. */
  readonly drawAfterMs: number;
  /** How fast each installation may write. */
  readonly writeLimits: WriteLimits;
}

/** What a host must give; all else has a default. */
export type GivenSettings = Pick<AppSettings, 'appId' | 'privateKey'> & Partial<AppSettings>;

/** The settings with every default filled in. */
export function withDefaults(given: GivenSettings): AppSettings {
  return {
    apiUrl: 'https://api.github.com',
    data: resolve('.coxswain'),
    concurrency: 4,
    sandbox: 'required',
    agentEnvironment: {},
    secrets: [],
    keyFiles: [],
    sweepEveryMs: 5 * 60_000,
    drawAfterMs: 3000,
    writeLimits: githubLimits,
    ...given,
  };
}
