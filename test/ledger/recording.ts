import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the previous version left behind, see `test/fixtures/recorded/README.md`. */
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

/** `burst`: its last event has an id that the previous version truncated, and then rejected as forged. */
export type Left = 'awaiting_approval' | 'working' | 'approved' | 'rejected' | 'burst';

export interface RecordedIssue {
  readonly number: number;
  readonly by: string;
  readonly created_at: string;
  readonly state: 'open' | 'closed';
  readonly closed_at: string | null;
  readonly title: string;
  /** `{forge}` is replaced by the forge's URL. */
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

/** A Git bundle of all branches and ledgers, which can be fetched from like a remote. */
export const bundle = fixture('repository.bundle');

// Written once, by the program described in the README.md.
export const recording = JSON.parse(readFileSync(fixture('github.json'), 'utf8')) as Recording;
