import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, figureOf, type Round } from '../measure/figure.ts';
import { type Part, startPart } from '../measure/part.ts';
import type { ForgeQuestion, ForgeReady, ForgeSettings } from '../stage/forge.ts';
import type { CrewQuestion, CrewReady, CrewSettings } from './crew.ts';
import { countCommands, type Recorder, recordCommands } from './recorder.ts';
import { prepareScript, type Script } from './script.ts';
import { files } from './task.ts';

type Tell = (line: string) => void;

/** How long an iteration takes beside agent and verifiers, beside the same Git commands in a shell script. */
export async function benchIteration(tell: Tell): Promise<readonly Figure[]> {
  const small = await compare({ name: 'small', moreFiles: 0, rounds: 9 }, tell);
  const large = await compare({ name: 'large', moreFiles: 20_000, rounds: 3 }, tell);
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

async function compare(size: Size, tell: Tell): Promise<Figure> {
  const room = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const settings: ForgeSettings = { owners: ['ours', 'floor'], issues: 1, moreFiles: size.moreFiles, files };
  const forge: Part<ForgeReady, ForgeQuestion, unknown> = await startPart('forge', settings);
  try {
    const { url, token } = forge.ready;
    const script = await prepareScript({ url: `${url}/floor/widgets.git`, token, room: join(room, 'floor') });
    return await withCrew(forge.ready, room, (crew, recorder) =>
      race({ ...size, crew, script, recorder, tell }),
    );
  } finally {
    await forge.end();
    await rm(room, { recursive: true, force: true, maxRetries: 3 });
  }
}

type Crew = Part<CrewReady, CrewQuestion, number>;

async function withCrew<T>(
  { apiUrl, actionsTokens }: ForgeReady,
  room: string,
  act: (crew: Crew, recorder: Recorder) => Promise<T>,
): Promise<T> {
  const recorder = await recordCommands(join(room, 'recorder'));
  const settings: CrewSettings = {
    apiUrl,
    token: actionsTokens['ours'] ?? '',
    owner: 'ours',
    data: join(room, 'crew'),
  };
  const crew: Crew = await startPart('crew', settings, { PATH: recorder.path });
  try {
    return await act(crew, recorder);
  } finally {
    await crew.end();
  }
}

interface Race extends Size {
  readonly crew: Crew;
  readonly script: Script;
  readonly recorder: Recorder;
  readonly tell: Tell;
}

/** First one round for warming up, in which our commands are written down; then A B A B. */
async function race({ name, rounds: count, crew, script, recorder, tell }: Race): Promise<Figure> {
  await script();
  await recorder.start();
  await crew.ask('steer');
  const commands = await recorder.stop();
  tell(`${name}: ${countCommands(commands)}`);
  const rounds: Round[] = [];
  for (let round = 0; round < count; round++) {
    const floor = await script();
    const ours = await crew.ask('steer');
    rounds.push({ ours, floor });
    tell(`${name}: ${ours.toFixed(0)} ms, script ${floor.toFixed(0)} ms`);
  }
  const also = { git_commands: commands.length };
  return figureOf(rounds, { name: `iteration_${name}`, what: '', unit: 'ms', also });
}
