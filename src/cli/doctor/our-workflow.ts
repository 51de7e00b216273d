import { z } from 'zod';
import { workflowDocument } from '../../onboarding/continuous-integration.ts';
import { placeholder } from '../../onboarding/workflow-text.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import type { SnapshotFile } from './snapshot.ts';

const events = ['issues', 'issue_comment', 'pull_request', 'pull_request_review', 'schedule'] as const;

/** What does not happen without each of them. */
const missed: { readonly [E in (typeof events)[number]]: string } = {
  issues: 'the label starts no run',
  issue_comment: 'no command is heard',
  pull_request: 'it misses pushes, and that a pull request is closed',
  pull_request_review: 'an approval in a review is not heard',
  schedule: 'what was missed stays missed, and no review times out',
};

const needed = {
  contents: 'write',
  'pull-requests': 'write',
  issues: 'write',
  checks: 'write',
  actions: 'read',
} as const;

const permissions = z.union([z.string(), z.record(z.string(), z.string())]).nullish();
const step = z.object({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).nullish() });
const job = z.object({ permissions, steps: z.array(step).optional().catch(undefined) });
const workflow = z.object({ on: z.unknown(), permissions, jobs: z.record(z.string(), job) });

type Parsed = z.output<typeof workflow>;

/** The release that a workflow uses, if it runs Coxswain. */
export function releaseIn(text: string): string | undefined {
  return /^\s*-?\s*uses:\s*["']?([\w-]+\/coxswain@[\w./-]+)/m.exec(text)?.[1];
}

/** The names of the secrets that a workflow uses, without the token that every workflow has. */
export function secretsIn(text: string): readonly string[] {
  const named = [...text.matchAll(/\bsecrets\s*\.\s*(\w+)/g)].map(([, name = '']) => name);
  return [...new Set(named)].filter((name) => name !== 'GITHUB_TOKEN');
}

/** The inputs of our step that are a configuration where there is no file, and only in the way beside one. */
export function configuringInputs(text: string): readonly string[] {
  const parsed = workflow.safeParse(workflowDocument(text));
  if (!parsed.success) return [];
  const all = Object.values(parsed.data.jobs).flatMap((job) => job.steps ?? []);
  const ours = all.filter(({ uses = '' }) => releaseIn(`uses: ${uses}`) !== undefined);
  const given = ours.flatMap((step) => Object.keys(step.with ?? {}));
  return ['agent', 'setup', 'verifiers'].filter((name) => given.includes(name));
}

/** Whether the workflow hears what it has to, and may do what it has to. */
export function examineWorkflow({ path, text }: SnapshotFile): readonly Finding[] {
  const parsed = workflow.safeParse(workflowDocument(text));
  if (!parsed.success)
    return [
      problem(
        'workflow',
        `${path} is not a workflow that GitHub would run`,
        'Write it again with `coxswain init`',
      ),
    ];
  const release = releaseIn(text) ?? '';
  return [
    release === placeholder
      ? problem(
          'release',
          `${path} uses ${placeholder}, which stands for a release`,
          'Make a release in a fork of yours (CONTRIBUTING.md, "Release"), and name it there',
        )
      : ok('release', `${path} uses ${release}`),
    ...eventFindings(path, parsed.data),
    permissionFinding(path, parsed.data),
  ];
}

function eventFindings(path: string, { on }: Parsed): readonly Finding[] {
  const heard = namesIn(on);
  const lacking = events.filter((event) => !heard.includes(event));
  const remedy = 'Add it under `on`, as `coxswain init` would';
  // The workflows that older versions wrote have none of them.
  const wished = [
    !heard.includes('workflow_dispatch') &&
      `${path} is not started by workflow_dispatch, so nobody can start it by hand`,
    heard.includes('issues') &&
      !hearsClosing(on) &&
      `${path} is not started by issues that are closed, so a run that waits for one begins with the schedule`,
    !heard.includes('merge_group') &&
      `${path} is not started by merge_group, so its check never comes where a branch has a merge queue`,
  ].filter((text) => text !== false);
  if (lacking.length + wished.length === 0)
    return [ok('workflow-events', `${path} hears everything that it has to`)];
  return [
    ...lacking.map((event) =>
      problem('workflow-events', `${path} is not started by ${event}, so ${missed[event]}`, remedy),
    ),
    ...wished.map((text) => note('workflow-events', text, remedy)),
  ];
}

const withTypes = z.object({ issues: z.object({ types: z.unknown() }) });

/** Without types every one counts. */
function hearsClosing(on: unknown): boolean {
  const { data } = withTypes.safeParse(on);
  return data?.issues.types === undefined || namesIn(data.issues.types).includes('closed');
}

function namesIn(on: unknown): readonly string[] {
  if (typeof on === 'string') return [on];
  if (Array.isArray(on)) return on.map(String);
  return typeof on === 'object' && on !== null ? Object.keys(on) : [];
}

function permissionFinding(path: string, { permissions: top, jobs }: Parsed): Finding {
  const given = Object.values(jobs).map((job) => job.permissions ?? top);
  const [all = top] = given;
  if (all === undefined || all === null)
    return note('workflow-permissions', `${path} does not say what its token may, so the default counts`);
  if (typeof all === 'string')
    return all === 'write-all'
      ? note('workflow-permissions', `the token of ${path} may do everything`)
      : lacks(path, Object.entries(needed));
  const missing = Object.entries(needed).filter(
    ([name, level]) => all[name] !== 'write' && all[name] !== level,
  );
  if (missing.length === 0) return ok('workflow-permissions', `the token of ${path} may do what it has to`);
  return lacks(path, missing);
}

function lacks(path: string, missing: readonly (readonly [string, string])[]): Finding {
  const listed = missing.map(([name, level]) => `${name}: ${level}`);
  const text = `the token of ${path} lacks ${listed.join(', ')}`;
  return problem('workflow-permissions', text, 'Add it under `permissions` there');
}
