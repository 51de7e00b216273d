import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Agents } from '../../src/agent/install/agents.ts';
import { inside } from '../../src/agent/sandbox/folders.ts';

interface Recording {
  readonly name: string;
  /** Where it is kept. */
  readonly folder: string;
  readonly workspace: string;
  /** Updates that are left out. */
  readonly unread: readonly string[];
}

const recorder = resolve('test/agents/programs/recorder.mjs');

/** Starts agents behind a recorder of the wire; `save` keeps what it has written, without what is by chance. */
export function record(agents: Agents, recording: Recording): { agents: Agents; save(): void } {
  const file = join(recording.workspace, '..', 'temp', 'wire.jsonl');
  const behind: Agents = {
    ready: async (agent, wanted) => {
      const ready = await agents.ready(agent, wanted);
      if (ready.kind === 'missing') return ready;
      const argv = [process.execPath, recorder, '/tmp/wire.jsonl', ...ready.argv];
      return { ...ready, argv, readable: [...ready.readable, recorder] };
    },
  };
  return { agents: behind, save: () => save(file, recording) };
}

function save(file: string, { name, folder, unread }: Recording): void {
  if (!existsSync(file)) return;
  const scrub = scrubber();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const kept = lines
    .filter((line) => !unread.some((each) => line.includes(`"sessionUpdate":"${each}"`)))
    .map((line) => JSON.stringify(JSON.parse(line, withoutChoices)));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.jsonl`), kept.map((line) => `${scrub(line)}\n`).join(''));
}

/** Of what could be chosen, only the modes are read; the models of an agent are hundreds. */
function withoutChoices(key: string, value: unknown): unknown {
  return key === 'configOptions' || key === 'models' || key === 'authMethods' ? undefined : value;
}

/** Replaces what differs from one machine and run to the next. */
function scrubber(): (line: string) => string {
  const ids = new Map<string, string>();
  const stable = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`);
    return ids.get(id) ?? '';
  };
  return (line) =>
    line
      .replaceAll(inside.workspace, '/workspace')
      .replaceAll(inside.root, '/attempt')
      .replaceAll(resolve('.'), '/coxswain')
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, stable)
      .replace(/\b(?:ses|msg)_[0-9a-zA-Z]{20,}\b/g, stable)
      .replace(/(?<!\d)17\d{11}(?!\d)/g, stable)
      .replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, '2026-01-01T00:00:00.000Z')
      .replace(/coxswain-[0-9a-f]{48}/g, 'dummy-key');
}
