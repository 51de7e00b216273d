import { emitKeypressEvents } from 'node:readline';
import { visible } from '../../text/visible.ts';

/** A key, as Node.js names it. */
export interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  /** What it types. */
  readonly sequence?: string;
}

/** A terminal that shows one page and hears single keys. It is as it was before when this process ends. */
export class Screen {
  readonly #onKey: (text: string | undefined, key: Key) => void;
  readonly #onResize: () => void;
  #page: readonly string[] = [];
  #isClosed = false;

  constructor(onKey: (key: Key) => void) {
    this.#onKey = (text, key) => onKey({ ...key, ...(text !== undefined && { sequence: text }) });
    this.#onResize = () => this.show(this.#page);
    emitKeypressEvents(process.stdin);
    process.stdin.setRawMode(true).on('keypress', this.#onKey).resume();
    process.stdout.on('resize', this.#onResize).write(`${esc}[?1049h${esc}[?25l`);
    process.on('exit', this.close);
  }

  /** Lines that are longer than the terminal is wide go on in the next one; what has no room is left out. */
  show(page: readonly string[]): void {
    this.#page = page;
    // What was being read may come when nobody looks any more.
    if (this.#isClosed) return;
    const { columns = 80, rows = 24 } = process.stdout;
    const lines = page.flatMap((line) => wrapped(visible(line), columns));
    // The end of a page says what can be done.
    const tooMany = Math.max(0, lines.length - rows);
    const shown = tooMany === 0 ? lines : [...lines.slice(0, rows - keptAtEnd), ...lines.slice(-keptAtEnd)];
    process.stdout.write(`${esc}[H${esc}[2J${shown.slice(0, rows).join('\r\n')}`);
  }

  readonly close = (): void => {
    this.#isClosed = true;
    process.off('exit', this.close);
    process.stdout.off('resize', this.#onResize).write(`${esc}[?25h${esc}[?1049l`);
    process.stdin.off('keypress', this.#onKey).setRawMode(false).pause();
  };
}

const esc = '\u001b';

const keptAtEnd = 8;

function wrapped(line: string, width: number): readonly string[] {
  const points = [...line];
  const parts = [];
  for (let from = 0; from < points.length; from += width)
    parts.push(points.slice(from, from + width).join(''));
  return parts.length === 0 ? [''] : parts;
}
