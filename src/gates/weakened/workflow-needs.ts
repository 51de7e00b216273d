import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** Jobs of a workflow that no longer wait for the jobs that verify the work. */
export function lostNeeds(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings.flatMap(({ path, old, new: next }): readonly WeakenedTest[] => {
    if (!/\.(?:github|gitea|forgejo)\/workflows\/.*\.ya?ml$/.test(path)) return [];
    const [before, after] = [jobsOf(old.lines), jobsOf(next.lines)];
    return [...before].flatMap(([name, job]) => {
      const now = after.get(name);
      if (now === undefined || !job.changed || verifying.test(name)) return [];
      const reached = waitedFor(name, after);
      const lost = job.needs.find((need) => verifying.test(need) && !reached.has(need));
      const isReplaced = [...reached].some((need) => verifying.test(need) && !job.needs.includes(need));
      if (lost === undefined || isReplaced || isGone(lost, before, after)) return [];
      const evidence = `the job "${name}" no longer waits for "${lost}"`;
      return [{ path, line: job.line, side: 'old' as const, what: 'forced-success' as const, evidence }];
    });
  });
}

const verifying = /tests?|lint|check|verify|spec|unit|e2e|integration|\bci\b|\bqa\b|types?\b/i;

interface Job {
  readonly needs: string[];
  line: number;
  /** What it waits for is written differently in this version. */
  changed: boolean;
}

/** What each job waits for, as far as its key is shown. */
function jobsOf(lines: readonly SourceLine[]): ReadonlyMap<string, Job> {
  const jobs = new Map<string, Job>();
  let job: Job | undefined;
  let isList = false;
  for (const line of lines) {
    const { code, number, changed, blank } = line;
    const name = /^ {2}["']?([\w-]+)["']?:\s*$/.exec(code)?.[1];
    if (name !== undefined) {
      job = { needs: [], line: number, changed: false };
      jobs.set(name, job);
    }
    if (job === undefined || blank) continue;
    const inline = /^ {4}needs:(.*)$/.exec(code)?.[1];
    const item: string | undefined = isList ? /^\s*-\s*["']?([\w-]+)/.exec(code)?.[1] : undefined;
    isList = inline !== undefined || item !== undefined;
    const found = inline?.match(/[\w-]+/g) ?? (item === undefined ? [] : [item]);
    if (inline === undefined && item === undefined) continue;
    job.needs.push(...found);
    if (changed) [job.line, job.changed] = [number, true];
  }
  return jobs;
}

/** The jobs that must succeed before this one starts, directly or by others. */
function waitedFor(name: string, jobs: ReadonlyMap<string, Job>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const need of jobs.get(next)?.needs ?? []) {
      if (reached.has(need)) continue;
      reached.add(need);
      open.push(need);
    }
  }
  return reached;
}

/** The job is taken away or renamed, which is seen by itself. */
function isGone(name: string, before: ReadonlyMap<string, Job>, after: ReadonlyMap<string, Job>): boolean {
  return before.has(name) && !after.has(name);
}
