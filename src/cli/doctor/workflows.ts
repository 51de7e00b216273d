import { z } from 'zod';
import { branchPrefix } from '../../github/names.ts';
import { workflowDocument } from '../../onboarding/continuous-integration.ts';
import { secretsIn } from './our-workflow.ts';
import type { SnapshotFile } from './snapshot.ts';

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

const permissions = z.union([z.string(), z.record(z.string(), z.unknown())]);

const workflow = z.object({
  on: z.unknown(),
  permissions: permissions.nullish(),
  jobs: z.record(z.string(), z.object({ permissions: permissions.nullish() }).catch({})).catch({}),
});

/** Those with secrets or a writing token that start on a push to a run's branch or on its pull request. */
export function riskyWorkflows(files: readonly SnapshotFile[]): readonly RiskyWorkflow[] {
  return files.flatMap((file) => riskIn(file) ?? []);
}

/** Undefined if it is no risk, or no workflow. */
function riskIn({ path, text }: SnapshotFile): RiskyWorkflow | undefined {
  const parsed = workflow.safeParse(workflowDocument(text));
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

type Parsed = z.infer<typeof workflow>;

/** `pull_request_target` gets a writing token unless the workflow says otherwise. */
function tokenIn({ permissions: top, jobs }: Parsed, triggers: readonly string[]): readonly string[] {
  const given = [top, ...Object.values(jobs).map((job) => job.permissions)];
  const writes = given.some(isWriting);
  const isUnsaid = top === undefined || top === null;
  return writes || (isUnsaid && triggers.includes('pull_request_target')) ? ['a token that may write'] : [];
}

function isWriting(given: Parsed['permissions']): boolean {
  if (given === undefined || given === null) return false;
  return typeof given === 'string' ? given === 'write-all' : Object.values(given).includes('write');
}
