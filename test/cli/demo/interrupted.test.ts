import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../app/eventually.ts';
import { processesOf } from '../../setup/processes.ts';

// The demo's agent is slow, so that people can watch it.
test.each([
  ['SIGINT', 130, 'has just created its folder', ({ folder }: Demo) => readdirSync(folder).length > 0],
  ['SIGTERM', 143, 'has a running agent', ({ folder }: Demo) => agentsIn(folder) > 0],
] as const)('%s ends it with %i when it %s, and nothing is left', async (signal, code, state, isReached) => {
  const demo = startDemo();
  await eventually(`the demo that ${state}`, () => isReached(demo) || undefined, { instead: demo.output });
  // Once from the terminal and once from npm.
  demo.child.kill(signal);
  demo.child.kill(signal);
  expect(await demo.ended, demo.output()).toEqual([code, null]);
  expect(readdirSync(demo.folder)).toEqual([]);
  expect(processesOf(demo.folder)).toEqual([]);
  expect(isGroupAlive(demo.child)).toBe(false);
});

test('it ends without an error when nobody reads any more what it prints', async () => {
  const demo = startDemo();
  await eventually('its first line', () => demo.output() !== '' || undefined, { instead: demo.output });
  demo.child.stdout?.destroy();
  expect(await demo.ended, demo.output()).toEqual([129, null]);
  expect(demo.output()).not.toMatch(/EPIPE|Error/);
  expect(readdirSync(demo.folder)).toEqual([]);
  expect(processesOf(demo.folder)).toEqual([]);
});

interface Demo {
  readonly child: ChildProcess;
  /** The temporary folder of the demo and all its children. */
  readonly folder: string;
  readonly ended: Promise<unknown[]>;
  output(): string;
}

function startDemo(): Demo {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-interrupted-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [inject('app'), 'demo', '--headless'], {
    env: { ...process.env, TMPDIR: folder },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => chunks.push(String(text)));
  return { child, folder, ended: once(child, 'close'), output: () => chunks.join('') };
}

/** Running programs are registered in the App's data. */
function agentsIn(folder: string): number {
  return readdirSync(folder)
    .map((name) => join(folder, name, 'data', 'work', 'children'))
    .flatMap((children) => listing(children)).length;
}

function listing(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not created yet
  }
}

/** The demo leads a process group, in which no process may be left. */
function isGroupAlive({ pid = 0 }: ChildProcess): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}
