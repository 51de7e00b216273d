import type { Writable } from 'node:stream';
import type { ProgressBoard } from '../../runs/repository/progress-board.ts';
import type { Progress } from '../../steering/shapes/progress.ts';
import { costText } from '../../text/amounts.ts';
import { shortened } from '../../text/cut.ts';
import { visible } from '../../text/visible.ts';
import { callsText, stageText } from '../../words/at-work.ts';

/** A terminal, or a pipe or file, which has no columns. */
export type Output = Pick<Writable, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

const clearLine = '\r\u001b[2K';
const drawEveryMs = 100;
const usualColumns = 80;

/**
 * What agents are doing, below everything else that is printed: on a terminal in one line that changes, else
 * in a line for each stage and tool call.
 */
export class ProgressLine {
  readonly #out: Output;
  readonly #newest = new Map<string, Progress>();
  readonly #unwatch: () => void;
  #shown = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(board: Pick<ProgressBoard, 'watchAll'>, out: Output) {
    this.#out = out;
    this.#unwatch = board.watchAll((run, progress) => {
      if (progress === undefined) this.#newest.delete(run);
      else this.#newest.set(run, progress);
      this.#timer ??= setTimeout(() => this.#draw(), drawEveryMs);
    });
  }

  /** Prints a line of its own. */
  print(line: string): void {
    const { isTTY } = this.#out;
    this.#out.write(isTTY && this.#shown !== '' ? `${clearLine}${line}\n${this.#shown}` : `${line}\n`);
  }

  close(): void {
    this.#unwatch();
    clearTimeout(this.#timer);
    if (this.#out.isTTY && this.#shown !== '') this.#out.write(clearLine);
    this.#shown = '';
  }

  #draw(): void {
    this.#timer = undefined;
    const { isTTY, columns = usualColumns } = this.#out;
    const whole = [...this.#newest].map(([run, progress]) => progressText(run, progress)).join(' | ');
    const line = isTTY ? shortened(whole, columns - 1) : whole;
    if (line === this.#shown) return;
    this.#shown = line;
    if (isTTY) this.#out.write(`${clearLine}${line}`);
    else if (line !== '') this.#out.write(`${line}\n`);
  }
}

/** `#2: the agent, 3 tool calls (1 failed), 0.42 USD; npm test (ok)` */
function progressText(run: string, progress: Progress): string {
  const { stage, calls, cost, last } = progress;
  const facts = [stageText(progress), calls.total === 0 ? '' : callsText(calls), costText(cost)];
  const newest = stage === 'verifiers' ? undefined : last.at(-1);
  const what = visible(newest?.command ?? newest?.title ?? '').replace(/\s+/g, ' ');
  const call = newest === undefined ? '' : `; ${what} (${newest.outcome ?? 'running'})`;
  return `${run.replace(/^.*#/, '#')}: ${facts.filter((fact) => fact !== '').join(', ')}${call}`;
}
