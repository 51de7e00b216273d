import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ForgeQuestion, ForgeReady, ForgeSettings } from '../environment/forge.ts';
import { type Figure, figureOf, type Round } from '../measure/figure.ts';
import { type Part, startPart } from '../measure/part.ts';
import { countCommands, type Recorder, recordCommands } from './recorder.ts';
import { prepareScript, type Script } from './script.ts';
import type { SingleRunQuestion, SingleRunReady, SingleRunSettings } from './single-run.ts';
import { files } from './task.ts';

type Print = (line: string) => void;

/** The overhead of an iteration, compared with the same Git commands in a shell script. */
export async function benchIteration(print: Print): Promise<readonly Figure[]> {
  const small = await compare({ name: 'small', moreFiles: 0, rounds: 9 }, print);
  const large = await compare({ name: 'large', moreFiles: 20_000, rounds: 3 }, print);
  return [
    { ...small, what: 'an iteration of a small repository', aim: '<= 1.2' },
    { ...large, what: 'an iteration of one with 20,000 files', aim: '<= 1.2' },
  ];
}

interface Size {
  readonly name: string;
  readonly moreFiles: number;
  readonly rounds: number;
}

async function compare(size: Size, print: Print): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const settings: ForgeSettings = { owners: ['ours', 'floor'], issues: 1, moreFiles: size.moreFiles, files };
  const forge: Part<ForgeReady, ForgeQuestion, unknown> = await startPart('forge', settings);
  try {
    const { url, token } = forge.ready;
    const script = await prepareScript({
      url: `${url}/floor/widgets.git`,
      token,
      folder: join(folder, 'floor'),
    });
    return await withRun(forge.ready, folder, (run, recorder) =>
      measure({ ...size, run, script, recorder, print }),
    );
  } finally {
    await forge.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

type SingleRun = Part<SingleRunReady, SingleRunQuestion, number>;

async function withRun<T>(
  { apiUrl, actionsTokens }: ForgeReady,
  folder: string,
  act: (run: SingleRun, recorder: Recorder) => Promise<T>,
): Promise<T> {
  const recorder = await recordCommands(join(folder, 'recorder'));
  const settings: SingleRunSettings = {
    apiUrl,
    token: actionsTokens['ours'] ?? '',
    owner: 'ours',
    data: join(folder, 'run'),
  };
  const run: SingleRun = await startPart('single-run', settings, { PATH: recorder.path });
  try {
    return await act(run, recorder);
  } finally {
    await run.end();
  }
}

interface Comparison extends Size {
  readonly run: SingleRun;
  readonly script: Script;
  readonly recorder: Recorder;
  readonly print: Print;
}

/** First a warm-up round, in which our Git commands are recorded; then script and run take turns. */
async function measure({ name, rounds: count, run, script, recorder, print }: Comparison): Promise<Figure> {
  await script();
  await recorder.start();
  await run.ask('steer');
  const commands = await recorder.stop();
  print(`${name}: ${countCommands(commands)}`);
  const rounds: Round[] = [];
  for (let round = 0; round < count; round++) {
    const floor = await script();
    const ours = await run.ask('steer');
    rounds.push({ ours, floor });
    print(`${name}: ${ours.toFixed(0)} ms, script ${floor.toFixed(0)} ms`);
  }
  const also = { git_commands: commands.length };
  return figureOf(rounds, { name: `iteration_${name}`, what: '', unit: 'ms', also });
}
