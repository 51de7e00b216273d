import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AttemptResources, adapters, probeSandbox, verify } from '../../src/agent/index.ts';
import { openMirror } from '../../src/git/mirror.ts';
import type { State } from '../../src/steering/state/state.ts';
import { type Figure, figureOf, type Round } from '../measure/figure.ts';

type Print = (line: string) => void;

const rounds = 7;
const files = 2_000;

/** What it costs to run changed tests against the base, compared with the verifiers alone. */
export async function benchProof(print: Print): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  try {
    const { base, head } = await changedRepository(folder);
    const remote = { url: 'file:///nowhere' };
    const mirror = await openMirror({ dir: join(folder, 'repository/.git'), remote });
    const sandbox = await probeSandbox('preferred');
    const resources = { mirror, sandbox, adapters, workRoot: join(folder, 'work'), secrets: [] };
    const measure = async (run: string): Promise<readonly Round[]> => {
      const timed: Round[] = [];
      for (let round = 0; round < rounds; round++) {
        const floor = await timeOf({ base, head, run, proof: 'off' }, resources);
        const ours = await timeOf({ base, head, run, proof: 'on' }, resources);
        timed.push({ ours, floor });
        print(`proof of \`${run}\`: ${ours.toFixed(0)} ms, verifiers alone ${floor.toFixed(0)} ms`);
      }
      return timed;
    };
    return [
      figureOf(await measure('true'), {
        name: 'proof_overhead',
        what: `a proof, beside a verifier that does nothing, of ${files.toLocaleString('en')} files`,
        unit: 'ms',
      }),
      figureOf(await measure('sleep 2'), {
        name: 'proof',
        what: 'a proof, beside a verifier of two seconds',
        unit: 'ms',
      }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Verified {
  readonly base: string;
  readonly head: string;
  readonly run: string;
  readonly proof: 'on' | 'off';
}

/** Milliseconds, with making and removing the workspaces. */
async function timeOf({ base, head, run, proof }: Verified, resources: AttemptResources): Promise<number> {
  const settings = {
    ...{ setup: [], proof, sandbox: 'preferred', limits: { minutes: 10 } },
    verifiers: [{ name: 'test', run, timeout_s: 60, required: true }],
    network: { setup: [], agent: [], verifiers: [] },
  };
  const place = { owner: 'acme', repo: 'bench', number: 1, base: 'main', branch: 'topic' };
  // Of a state nothing else is looked at.
  const state = { run: place, settings, iterations: [{ head_before: base }] } as unknown as State;
  const hold = { iteration: 0, attempt: 1, holder: 'bench' };
  const assignment = { state, hold, commit: head, default_branch: 'main' };
  const began = performance.now();
  const outcome = await verify(assignment, resources, { signal: new AbortController().signal });
  const took = performance.now() - began;
  if (outcome.kind !== 'verified') throw new Error(`the verifiers did not run: ${JSON.stringify(outcome)}`);
  const proven = outcome.proof?.without_change.outcome;
  if (proven !== (proof === 'on' ? 'ran' : undefined)) throw new Error(`the proof was ${proven}`);
  return took;
}

/** A branch `topic` that changes one file of code and one test. */
async function changedRepository(folder: string): Promise<{ base: string; head: string }> {
  const dir = join(folder, 'repository');
  await mkdir(join(dir, 'test'), { recursive: true });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: dir,
      encoding: 'utf8',
    }).trim();
  git('init', '-q', '-b', 'main');
  for (let file = 0; file < files; file++)
    await writeFile(join(dir, `${file}.js`), `// ${file}\n`.repeat(50));
  git('add', '-A');
  git('commit', '-q', '-m', 'Begin');
  const base = git('rev-parse', 'HEAD');
  git('checkout', '-q', '-b', 'topic');
  await writeFile(join(dir, '0.js'), 'changed\n');
  await writeFile(join(dir, 'test/0.test.js'), 'new\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'Change');
  const head = git('rev-parse', 'HEAD');
  git('checkout', '-q', '--detach');
  return { base, head };
}
