import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Figure, figureOf, type Round } from '../measure/figure.ts';
import { uninterestingDelivery } from '../server/delivery.ts';

type Print = (line: string) => void;

const rounds = 15;
const bundle = fileURLToPath(new URL('../action/', import.meta.url));
const main = join(bundle, 'index.js');

/** What every event that does not concern a run costs a workflow. */
export async function benchBundle(print: Print): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  try {
    const environment = await runnerEnvironment(folder);
    const timed: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const floor = await timeOf(['-e', '0'], environment);
      const ours = await timeOf([main], environment);
      timed.push({ ours, floor });
      print(`the Action: ${ours.toFixed(0)} ms, bare node ${floor.toFixed(0)} ms`);
    }
    const names = await readdir(bundle);
    const bytes = await Promise.all(names.map((name) => readFile(join(bundle, name))));
    const kilobytes = (parts: readonly Buffer[]) =>
      Math.round(parts.reduce((sum, { length }) => sum + length, 0) / 1000);
    const also = {
      bundle_kb: kilobytes(bytes),
      gzip_kb: kilobytes(bytes.map((each) => gzipSync(each))),
    };
    const what = 'the Action for an irrelevant event, compared with starting Node';
    return [figureOf(timed, { name: 'action_cold_start', what, unit: 'ms', also })];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The environment that a runner provides. The API address is unreachable, so that any request would fail. */
async function runnerEnvironment(folder: string): Promise<NodeJS.ProcessEnv> {
  const [event, output, summary] = ['event.json', 'output', 'summary'].map((name) => join(folder, name));
  await writeFile(event ?? '', uninterestingDelivery().body);
  await Promise.all([output, summary].map((path) => writeFile(path ?? '', '')));
  return {
    PATH: process.env['PATH'],
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: 'issue_comment',
    GITHUB_EVENT_PATH: event,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_REPOSITORY: 'acme/widgets',
    GITHUB_RUN_ID: '1',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_API_URL: 'http://127.0.0.1:1',
    GITHUB_SERVER_URL: 'http://127.0.0.1:1',
    RUNNER_TEMP: folder,
    'INPUT_GITHUB-TOKEN': 'ghs_none',
    INPUT_MODE: 'auto',
  };
}

async function timeOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return performance.now() - began;
}
