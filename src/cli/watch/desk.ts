import { emitKeypressEvents } from 'node:readline';
import type { RunReader } from '../../doors/reading/reader.ts';
import type { InboxEntry, RunReport, RunSummary } from '../../doors/report/report-shapes.ts';
import { sayDraft } from '../../doors/speech/say-draft.ts';
import type { Command } from '../../steering/commands/index.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { durationText } from '../../text/amounts.ts';
import { visible } from '../../text/characters.ts';
import { timeText } from '../../words/index.ts';
import { approveCommand } from '../commands/confirm-approval.ts';
import {
  drafted,
  type OwnDraft,
  type Seen,
  type Speaking,
  saidText,
  voiceOf,
} from '../commands/say-command.ts';
import { exitCodeFor, exitCodes } from '../terminal/exit.ts';
import { endOfFault } from '../terminal/github-faults.ts';
import { placeCalled, type RunPlace, runName } from '../terminal/which-run.ts';

/** What is looked at: one run, or all that wait, of which one is marked. */
export type Watched =
  | { readonly one: RunPlace; report?: RunReport | RunSummary; doubt?: string | undefined }
  | { readonly all: string | undefined; entries: readonly InboxEntry[]; marked: number };

type Mode =
  | { readonly is: 'looking' }
  | { readonly is: 'typing'; readonly key: string; readonly text: string }
  | { readonly is: 'confirming'; readonly draft: OwnDraft }
  | { readonly is: 'busy' };

const waitMs = 30_000;

/** A terminal in which somebody looks at runs and settles them with single keys. */
export class Desk {
  readonly #speaking: Speaking;
  readonly #watched: Watched;
  readonly #screen: Screen;
  readonly #quit: (code: number) => void;
  #mode: Mode = { is: 'looking' };
  /** When what is shown was read, and why nothing newer is. */
  #asOf = '';
  #stale = '';
  /** Says what came of the last key. */
  #news = '';

  /** `quit` is called once, with the exit code. */
  constructor(speaking: Speaking, watched: Watched, quit: (code: number) => void) {
    this.#speaking = speaking;
    this.#watched = watched;
    this.#quit = quit;
    this.#screen = new Screen((key) => this.#press(key));
    const ticking = setInterval(() => this.#proceeds() !== undefined && this.draw(), 1000);
    process.once('exit', () => clearInterval(ticking));
    this.close = () => {
      clearInterval(ticking);
      this.#screen.close();
    };
    this.draw();
  }

  readonly close: () => void;

  /** Reads again what is shown. */
  async refresh(reader: RunReader, unreachable?: string): Promise<void> {
    if (unreachable !== undefined) this.#stale = unreachable;
    else {
      const watched = this.#watched;
      if ('one' in watched) Object.assign(watched, await reader.run(watched.one));
      else watched.entries = (await reader.inbox(watched.all)).entries;
      this.#asOf = new Date().toISOString();
      this.#stale = '';
    }
    this.draw();
  }

  draw(): void {
    const stale = this.#stale === '' ? '' : ` ${this.#stale}`;
    const asOf = this.#asOf === '' ? 'Reading…' : `As of ${timeText(this.#asOf)}.${stale}`;
    const news = this.#news === '' ? [] : ['', this.#news];
    this.#screen.show([...this.#body(), '', asOf, ...news, '', ...this.#foot()]);
  }

  #body(): readonly string[] {
    const watched = this.#watched;
    if ('one' in watched) {
      const { report, doubt } = watched;
      if (report === undefined) return [runName(watched.one)];
      const text = 'status_text' in report ? report.status_text : `Status: ${report.phase}`;
      const proceeds = this.#proceeds();
      return [
        `${report.run}: ${report.title}`,
        ...text.split('\n'),
        ...(doubt === undefined ? [] : [`Not verified: ${doubt}`]),
        ...(proceeds === undefined ? [] : [proceeds]),
      ];
    }
    if (watched.entries.length === 0) return ['No run waits for people.'];
    return watched.entries.map(({ run, kind, risk_level, title }, nth) => {
      const mark = nth === watched.marked ? '>' : ' ';
      return `${mark} ${run}  ${kind}, risk ${risk_level ?? 'unknown'}  ${title}`;
    });
  }

  /** The countdown of a run that does not wait forever. */
  #proceeds(): string | undefined {
    const { report } = 'one' in this.#watched ? this.#watched : {};
    if (report === undefined || !('proceeds' in report) || report.proceeds === null) return undefined;
    const left = Math.max(0, Math.round((Date.parse(report.proceeds.at) - Date.now()) / 1000));
    const what = { proceed: 'Goes on by itself', hold: 'Stops waiting', deny: 'Is rejected' };
    return `${what[report.proceeds.on_timeout]} in ${durationText(left)}: [h] holds it`;
  }

  #foot(): readonly string[] {
    const mode = this.#mode;
    switch (mode.is) {
      case 'looking':
        return ['all' in this.#watched ? `${keyLine}  [↑↓] choose` : keyLine];
      case 'typing':
        return [`${keys[mode.key]?.asks} ${mode.text}_`, '[Enter] go on  [Esc] leave it'];
      case 'confirming':
        return draftLines(mode.draft);
      case 'busy':
        return ['…'];
    }
  }

  #press({ name = '', ctrl, sequence = '' }: Key): void {
    const mode = this.#mode;
    if (ctrl && name === 'c') this.#quit(exitCodeFor('SIGINT'));
    else if (mode.is === 'typing') this.#type(mode, name, ctrl ? '' : sequence);
    else if (mode.is === 'confirming' && name === 'return') this.#do(() => this.#post(mode.draft));
    else if (mode.is === 'confirming') this.#mode = { is: 'looking' };
    else if (mode.is === 'looking') this.#choose(name);
    this.draw();
  }

  #choose(name: string): void {
    const watched = this.#watched;
    this.#news = '';
    if (name === 'q') this.#quit(exitCodes.done);
    else if ('all' in watched && (name === 'up' || name === 'down')) {
      const last = Math.max(0, watched.entries.length - 1);
      watched.marked = Math.min(last, Math.max(0, watched.marked + (name === 'up' ? -1 : 1)));
    } else if (keys[name]?.asks !== undefined) this.#mode = { is: 'typing', key: name, text: '' };
    else if (keys[name] !== undefined) this.#do(() => this.#draft(name, ''));
  }

  #type({ key, text }: Extract<Mode, { is: 'typing' }>, name: string, typed: string): void {
    if (name === 'escape') this.#mode = { is: 'looking' };
    else if (name === 'return') this.#do(() => this.#draft(key, text.trim()));
    else if (name === 'backspace') this.#mode = { is: 'typing', key, text: [...text].slice(0, -1).join('') };
    else if (!/\p{Cc}/u.test(typed)) this.#mode = { is: 'typing', key, text: text + typed };
  }

  /** Reads the run again, so that what is confirmed is what is there now. */
  async #draft(key: string, text: string): Promise<void> {
    const place = this.#place();
    const row = keys[key];
    if (place === undefined || row === undefined) return;
    const draft = await drafted(this.#speaking, place, (seen) => row.says(text, seen));
    this.#mode = { is: 'confirming', draft };
  }

  async #post(draft: OwnDraft): Promise<void> {
    const said = await sayDraft(voiceOf(this.#speaking), draft, waitMs);
    this.#news = `${runName(draft.place)}: ${saidText(said)}`;
  }

  #place(): RunPlace | undefined {
    const watched = this.#watched;
    if ('one' in watched) return watched.one;
    const run = watched.entries[watched.marked]?.run;
    return run === undefined ? undefined : placeCalled(run, this.#speaking.person.web);
  }

  /** Whatever goes wrong is said, and looking goes on. */
  #do(work: () => Promise<void>): void {
    this.#mode = { is: 'busy' };
    void work()
      .catch((fault: unknown) => {
        const known = endOfFault(fault) ?? fault;
        this.#news = known instanceof Error ? known.message : String(known);
      })
      .finally(() => {
        if (this.#mode.is === 'busy') this.#mode = { is: 'looking' };
        this.draw();
      });
  }
}

interface KeyRow {
  readonly label: string;
  /** What has to be typed before. */
  readonly asks?: string;
  says(text: string, seen: Seen): Command;
}

/** What each key says; nothing is posted before it was shown and confirmed. */
const keys: Readonly<Record<string, KeyRow>> = {
  y: { label: 'approve', says: (_, seen) => approveCommand({}, seen) },
  n: { label: 'reject', asks: 'Why?', says: (reason) => ({ type: 'reject', reason }) },
  s: {
    label: 'steer',
    asks: 'What should be different?',
    says: (prompt) => ({ type: 'steer', prompt, now: false }),
  },
  a: { label: 'allow always', says: () => ({ type: 'allow', scope: 'always' }) },
  h: { label: 'hold', says: () => ({ type: 'pause', reason: '' }) },
};

const keyLine = `${Object.entries(keys)
  .map(([key, { label }]) => `[${key}] ${label}`)
  .join('  ')}  [q] quit`;

/** What a draft would do, as it is shown before. */
function draftLines({ place, report, text }: OwnDraft): readonly string[] {
  const { title, head_sha, risk_level, approval_request, trust } = report;
  const risk = approval_request?.risk_level ?? risk_level ?? 'not known';
  return [
    `${runName(place)} at ${shortSha(head_sha)}: ${title}`,
    `Risk: ${risk}${trust === 'verified' ? '' : ', and nothing of it is verified'}`,
    '',
    ...text.split('\n').map((line) => `  ${line}`),
    '',
    '[Enter] post this as you  [Esc] leave it',
  ];
}

/** A key as Node.js names it when it is pressed. */
interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  /** The characters that it types, if it types any. */
  readonly sequence?: string;
}

/** A terminal that shows one page and hears single keys. It is as it was before when this process ends. */
class Screen {
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
