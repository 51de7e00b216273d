import type { LedgerLog } from '../../src/ledger/directory.ts';
import { viewIn } from '../../src/page/diff/diff-view.ts';
import { diffLines } from '../../src/page/diff/patch-lines.ts';
import type { PageDiff, ShownFile } from '../../src/page/diff/read-diff.ts';
import type { Speaker } from '../../src/page/forms/offers.ts';
import type { Comment } from '../../src/page/load/load-conversation.ts';
import type { PullModel, RunModel } from '../../src/page/load/load-run.ts';
import type { IssueRoute } from '../../src/page/load/page-routes.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import { mia } from '../steering/samples.ts';
import type { Story } from '../steering/story.ts';

/** View models with defaults, so that a test sets only what matters to it. */

export const route: IssueRoute = { page: 'pull', owner: 'acme', repo: 'service', number: 7 };

export const hostile = '<script>window.broken = true</script><img src=x onerror="window.broken = true">';

export function runModel(run: Story, but: Partial<RunModel> = {}): RunModel {
  return modelOf(run, but);
}

interface ShownRun {
  readonly state: State;
  readonly events: readonly Event[];
  readonly subjects?: readonly string[];
}

/** A ledger with these commits. */
export function logOf(subjects: readonly string[], omitted = 0): LedgerLog {
  const commits = subjects.map((subject) => ({ at: '2025-03-03T12:00:00+00:00', subject }));
  return { ref: 'refs/coxswain/open/7', commits, omitted };
}

/** As it is loaded: the last verification is there even if it no longer counts. */
export function modelOf({ state, events, subjects = [] }: ShownRun, but: Partial<RunModel> = {}): RunModel {
  const last = events.findLast((event) => event.type === 'verified');
  const { shown } = state;
  const outputs = shown === null ? last : { head: shown.head_sha, verifiers: shown.verifiers };
  return {
    route,
    pull: pullModel(),
    state: { value: state },
    conversation: { value: { comments: [commentOf()], older: 0 } },
    checks: { value: [] },
    outputs: outputs === undefined ? { missing: 'No verifier has run yet.' } : { value: outputs },
    diff: { value: diff },
    events: { value: events },
    log: { value: logOf(subjects) },
    ...but,
  };
}

/** Mia, who may do everything short of changing settings. */
export function speakerOf(but: Partial<Speaker> = {}): Speaker {
  return { viewer: mia, posting: undefined, at: '2025-03-04T12:00:00Z', ...but };
}

export function pullModel(but: Partial<PullModel> = {}): PullModel {
  return {
    title: 'Fix the flaky test',
    body: 'It fails on Mondays.',
    author: 'coxswain[bot]',
    at: '2025-03-03T12:00:00Z',
    draft: true,
    open: true,
    merged: false,
    labels: ['coxswain', 'coxswain:awaiting_approval'],
    branch: 'coxswain/fix-the-flaky-test-1a2b3c',
    base: 'main',
    head_sha: 'abc0001'.padEnd(40, '0'),
    url: 'https://github.com/acme/service/pull/7',
    seq: 3,
    ...but,
  };
}

export function commentOf(but: Partial<Comment> = {}): Comment {
  return {
    id: 'comment-5',
    author: 'ada',
    bot: false,
    body: 'Looks **good**.',
    at: '2025-03-03T12:05:00Z',
    edited: false,
    url: 'https://github.com/acme/service/pull/7#issuecomment-5',
    verdict: null,
    ...but,
  };
}

const patch = `diff --git a/src/clock.ts b/src/clock.ts
index 1111111..2222222 100644
--- a/src/clock.ts
+++ b/src/clock.ts
@@ -1,4 +1,6 @@ export function clock() {
 export function clock() {
-  return new Date();
+  const now = fixed ?? new Date();
+  if (Number.isNaN(now.getTime())) throw new Error('no such time');
+  return now;
 }
 `;

/** A file with the lines of a patch. */
export function shownFile(path: string, text: string, but: Partial<ShownFile> = {}): ShownFile {
  const lines = diffLines(text.trimEnd().split('\n'));
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  const counts = { additions: count('added'), deletions: count('removed') };
  return { path, status: 'modified', ...counts, lines, isCut: false, ...but };
}

/** All changes, one below the other. */
export const usualView = viewIn(undefined);

export const diff: PageDiff = {
  head: 'abc0001'.padEnd(40, '0'),
  files: [shownFile('src/clock.ts', patch)],
};
