import { z } from 'zod';
import { branchPrefix } from '../../github/names.ts';
import { workflowDocument } from '../../onboarding/continuous-integration.ts';
import { placeholder } from '../../onboarding/setup-files.ts';
import { type Finding, note, ok, problem } from './doctor-finding.ts';
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

/** A workflow that runs what is on the branch of a run, as far as a rough reading of its text shows. */
export interface RiskyWorkflow {
  readonly path: string;
  readonly triggers: readonly string[];
  /** What an agent's code could use there, in words. */
  readonly holds: readonly string[];
}

const filters = z.object({
  branches: z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional(),
  'branches-ignore': z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional(),
  tags: z.unknown().optional(),
});

const anyPermissions = z.union([z.string(), z.record(z.string(), z.unknown())]);

const riskyShape = z.object({
  on: z.unknown(),
  permissions: anyPermissions.nullish(),
  jobs: z.record(z.string(), z.object({ permissions: anyPermissions.nullish() }).catch({})).catch({}),
});

/** Finds those with secrets or a writing token that start on a run's pull request or a push to its branch. */
export function riskyWorkflows(files: readonly SnapshotFile[]): readonly RiskyWorkflow[] {
  return files.flatMap((file) => riskIn(file) ?? []);
}

/** Says what is risky about a file; undefined if nothing is, or it is no workflow. */
function riskIn({ path, text }: SnapshotFile): RiskyWorkflow | undefined {
  const parsed = riskyShape.safeParse(workflowDocument(text));
  if (!parsed.success) return undefined;
  const triggers = triggersIn(parsed.data.on);
  const holds = [...heldSecrets(text), ...tokenIn(parsed.data, triggers)];
  return triggers.length > 0 && holds.length > 0 ? { path, triggers, holds } : undefined;
}

function triggersIn(on: unknown): readonly string[] {
  if (typeof on === 'string') return triggersIn([on]);
  if (Array.isArray(on)) return triggersIn(Object.fromEntries(on.map((name) => [String(name), null])));
  if (typeof on !== 'object' || on === null) return [];
  return Object.entries(on).flatMap(([name, given]) => {
    if (name === 'pull_request' || name === 'pull_request_target') return [name];
    return name === 'push' && startsOnRunBranch(given) ? [name] : [];
  });
}

/** The last pattern that matches decides, as in Actions. */
function startsOnRunBranch(given: unknown): boolean {
  const parsed = filters.safeParse(given ?? {});
  if (!parsed.success) return true;
  const { branches, 'branches-ignore': ignored, tags } = parsed.data;
  const branch = `${branchPrefix}example-0123456789`;
  if (ignored !== undefined) return !ignored.some((pattern) => matches(pattern, branch));
  if (branches === undefined) return tags === undefined;
  return branches.reduce((included, pattern) => {
    const isNegative = pattern.startsWith('!');
    return matches(isNegative ? pattern.slice(1) : pattern, branch) ? !isNegative : included;
  }, false);
}

function matches(pattern: string, branch: string): boolean {
  const parts = pattern.split(/(\*\*|\*)/).map((part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^/]*' : part.replace(/[^\w/-]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`).test(branch);
}

function heldSecrets(text: string): readonly string[] {
  const all = /\bsecrets:\s*inherit\b|\bsecrets\s*\[|toJSON\(\s*secrets\s*\)/i.test(text);
  const named = secretsIn(text).slice(0, 5);
  return [...named.map((name) => `the secret ${name}`), ...(all ? ['all secrets'] : [])];
}

type RiskyShape = z.infer<typeof riskyShape>;

/** `pull_request_target` gets a writing token unless the workflow says otherwise. */
function tokenIn({ permissions: top, jobs }: RiskyShape, triggers: readonly string[]): readonly string[] {
  const given = [top, ...Object.values(jobs).map((job) => job.permissions)];
  const writes = given.some(isWriting);
  const isUnsaid = top === undefined || top === null;
  return writes || (isUnsaid && triggers.includes('pull_request_target')) ? ['a token that may write'] : [];
}

function isWriting(given: RiskyShape['permissions']): boolean {
  if (given === undefined || given === null) return false;
  return typeof given === 'string' ? given === 'write-all' : Object.values(given).includes('write');
}
