import { expect, test } from 'vitest';
import { ProgressLine } from '../../../src/cli/demo/demo-output.ts';
import { ProgressBoard } from '../../../src/repository/progress-board.ts';
import type { Progress } from '../../../src/steering/shapes/agent-progress.ts';
import { eventually } from '../../app/eventually.ts';

const run = 'acme/widgets#2';

function progress(...titles: readonly string[]): Progress {
  const last = titles.map((title) => ({ kind: 'execute', title, outcome: 'ok' as const }));
  const calls = { total: last.length, failed: 0, denied: 0 };
  return {
    stage: 'agent',
    since: new Date().toISOString(),
    cost: { usd: 0.5 },
    near: [],
    calls,
    last,
    saying: '',
  };
}

function printed(isTTY: boolean) {
  const board = new ProgressBoard();
  const texts: string[] = [];
  const write = (text: string) => texts.push(text) > 0;
  const line = new ProgressLine(board, { write, isTTY, columns: 50 });
  const has = (text: string) =>
    eventually(`${text} to be printed`, () => (texts.join('').includes(text) ? true : undefined));
  return { board, line, has, all: () => texts.join('') };
}

test('a terminal has one line, which stays below what else is printed, and goes', async () => {
  const { board, line, has, all } = printed(true);
  board.show(run, progress('npm ci'));
  await has('\r\u001b[2K#2: the agent, 1 tool call, 0.50 USD; npm ci (ok)');
  line.print('ada says hello');
  const below = '\n#2: the agent, 1 tool call, 0.50 USD; npm ci (ok)';
  expect(all().endsWith(`\r\u001b[2Kada says hello${below}`)).toBe(true);
  board.show(run, progress('npm ci', 'x'.repeat(200)));
  await has('2 tool calls');
  expect(all().split('\u001b[2K').at(-1)).toHaveLength(49);
  board.clear(run);
  await eventually('the line to go', () => (all().endsWith('\r\u001b[2K') ? true : undefined));
  line.close();
});

test('a terminal is left without the line, whatever was at work', async () => {
  const { board, line, has, all } = printed(true);
  board.show(run, progress('npm ci'));
  await has('npm ci (ok)');
  line.close();
  expect(all().endsWith('npm ci (ok)\r\u001b[2K')).toBe(true);
  const before = all();
  line.close();
  line.print('over');
  expect(all()).toBe(`${before}over\n`);
});

test('a file has a line for each thing that happens, and nothing that a terminal would obey', async () => {
  const { board, line, has, all } = printed(false);
  board.show(run, progress('npm ci'));
  await has('npm ci (ok)\n');
  board.show(run, { ...progress('npm ci'), saying: 'Only words' });
  board.show(run, progress('npm ci', 'printf \u001b[2J\nrm'));
  await has('printf');
  board.clear(run);
  line.print('over');
  line.close();
  expect(all()).toBe(
    '#2: the agent, 1 tool call, 0.50 USD; npm ci (ok)\n' +
      '#2: the agent, 2 tool calls, 0.50 USD; printf rm (ok)\n' +
      'over\n',
  );
});
