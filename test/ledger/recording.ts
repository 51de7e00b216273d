import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the version before left behind, see `test/fixtures/recorded/README.md`. */
export interface Recording {
  /** When that version was stopped, ISO 8601. */
  readonly ended_at: string;
  readonly repository: { readonly id: number; readonly full_name: string };
  /** The numbers of the runs, by how they were left. */
  readonly runs: Readonly<Record<Left, number>>;
  /** Issues and pull requests, in the order of their numbers. */
  readonly issues: readonly RecordedIssue[];
  readonly comments: readonly RecordedComment[];
}

/** `burst`: its last event has an id so long that the version before cut it and took it for a forgery. */
export type Left = 'awaiting_approval' | 'working' | 'approved' | 'rejected' | 'burst';

export interface RecordedIssue {
  readonly number: number;
  readonly by: string;
  readonly created_at: string;
  readonly state: 'open' | 'closed';
  readonly closed_at: string | null;
  readonly title: string;
  /** `{forge}` stands for the address of the forge. */
  readonly body: string;
  readonly labels: readonly string[];
  readonly pull?: { readonly head: string; readonly base: string; readonly draft: boolean };
}

export interface RecordedComment {
  readonly id: number;
  /** Of the issue or pull request. */
  readonly number: number;
  readonly by: string;
  readonly created_at: string;
  readonly body: string;
}

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/recorded/${name}`, import.meta.url));

/** Every branch and every ledger, to be fetched from like any remote. */
export const bundle = fixture('repository.bundle');

// Written once, by the program that README.md tells of.
export const recording = JSON.parse(readFileSync(fixture('github.json'), 'utf8')) as Recording;
