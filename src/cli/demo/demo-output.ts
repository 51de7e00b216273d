import type { Writable } from 'node:stream';
import type { RepositoryEvent } from '@coxswain/forge';
import { ourLabel } from '../../github/names.ts';
import type { ProgressBoard } from '../../repository/progress-board.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { Progress } from '../../steering/shapes/agent-progress.ts';
import { costText } from '../../text/amounts.ts';
import { shortened, visible } from '../../text/characters.ts';
import { callsText, stageText } from '../../words/status-text.ts';

/** The parts of GitHub's payloads that are told. */
interface Payload {
  readonly action?: string;
  /** Why a pull request left a merge queue. */
  readonly reason?: string;
  readonly sender?: { readonly login: string };
  readonly label?: { readonly name: string };
  readonly issue?: { readonly number: number };
  readonly comment?: { readonly user: { readonly login: string }; readonly body: string };
  readonly pull_request?: { readonly number: number; readonly title: string; readonly merged: boolean };
  readonly check_run?: CheckRun;
}

interface CheckRun {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  readonly conclusion: string | null;
  readonly output: { readonly title: string | null };
}

/** Tells what happens in a repository, in the order in which GitHub announces it. */
export class Conversation {
  readonly #print: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  hear({ event, payload }: RepositoryEvent): void {
    // What the forge sends has the form of GitHub's payloads.
    const told = textFor(event, payload as Payload);
    if (told === undefined || (told.once !== undefined && this.#told.has(told.once))) return;
    if (told.once !== undefined) this.#told.add(told.once);
    this.#print(told.text);
  }
}

interface Told {
  readonly text: string;
  /** Names what is told only the first time. */
  readonly once?: string;
}

/** Says what happened; undefined for what nobody needs to be told. */
function textFor(event: string, payload: Payload): Told | undefined {
  switch (event) {
    case 'issues':
      return labelling(payload);
    case 'issue_comment':
      return comment(payload);
    case 'pull_request':
      return pullRequest(payload);
    case 'check_run':
      return check(payload);
    default:
      return undefined;
  }
}

function labelling({ action, sender, label, issue }: Payload): Told | undefined {
  if (action !== 'labeled' || label?.name !== ourLabel) return undefined;
  return { text: `${sender?.login} labels issue #${issue?.number} with \`${label.name}\`` };
}

function comment({ action, comment: posted }: Payload): Told | undefined {
  if (action !== 'created' || posted === undefined) return undefined;
  const text = posted.body.replace(/<!--[\s\S]*?-->/g, '').trim();
  return { text: `${posted.user.login}:\n${text.replace(/^/gm, '  | ')}` };
}

function pullRequest({ action, sender, label, reason, pull_request: pull }: Payload): Told | undefined {
  if (pull === undefined) return undefined;
  switch (action) {
    case 'opened':
      return { text: `${sender?.login} opened draft pull request #${pull.number}` };
    case 'labeled':
      return phase(pull.number, label?.name ?? '');
    case 'ready_for_review':
      return { text: `#${pull.number} is ready for review` };
    case 'enqueued':
      return { text: `#${pull.number} is in the merge queue` };
    case 'dequeued':
      // With the merge, it is told already.
      return reason === 'MERGE' ? undefined : { text: `#${pull.number} left the merge queue: ${reason}` };
    case 'closed':
      return { text: `#${pull.number} is ${pull.merged ? 'merged' : 'closed'}` };
    default:
      return undefined;
  }
}

function phase(number: number, label: string): Told | undefined {
  const prefix = `${ourLabel}:`;
  return label.startsWith(prefix) ? { text: `#${number} is ${label.slice(prefix.length)}` } : undefined;
}

/** A check run that has concluded, unless another commit took its place; it may be updated afterwards. */
function check({ check_run: run }: Payload): Told | undefined {
  if (run === undefined || run.conclusion === null || run.conclusion === 'cancelled') return undefined;
  const { id, name, head_sha, conclusion, output } = run;
  const text = `  check "${name}" on ${shortSha(head_sha)}: ${conclusion}, ${output.title ?? ''}`;
  return { text, once: `check ${id} ${conclusion}` };
}

/** A terminal, or a pipe or file, which has no columns. */
type Output = Pick<Writable, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

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

  /** Prints a line above what agents are doing. */
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

/** Says it as in `#2: the agent, 3 tool calls (1 failed), 0.42 USD; npm test (ok)`. */
function progressText(run: string, progress: Progress): string {
  const { stage, calls, cost, last } = progress;
  const facts = [stageText(progress), calls.total === 0 ? '' : callsText(calls), costText(cost)];
  const newest = stage === 'verifiers' ? undefined : last.at(-1);
  const what = visible(newest?.command ?? newest?.title ?? '').replace(/\s+/g, ' ');
  const call = newest === undefined ? '' : `; ${what} (${newest.outcome ?? 'running'})`;
  return `${run.replace(/^.*#/, '#')}: ${facts.filter((fact) => fact !== '').join(', ')}${call}`;
}
