import { personIn } from '../doors/callers/identity.ts';
import { Runs } from '../doors/callers/read-run.ts';
import { Problem } from '../doors/problem.ts';
import type { RunPlace } from '../doors/reading/reader.ts';
import { type BatchDoor, type Settled, sayEach } from '../doors/speech/batch.ts';
import { recordedIn } from '../doors/speech/hearing.ts';
import { sayDraftOnce, type Voice } from '../doors/speech/say-draft.ts';
import { isFinalRefusal } from '../github/octokit/fault.ts';
import { type Html, html, trusted } from '../html/html.ts';
import { securityHeaders } from '../html/response.ts';
import { webOf } from '../repository/repository.ts';
import { pageProblem } from './forms/form-input.ts';
import { batchReview, leftOutRow, settledRow, settledSummary } from './inbox/batch-view.ts';
import {
  type Batch,
  batchIn,
  type Chosen,
  draftFor,
  type LeftOutRun,
  type Look,
  type PageDraft,
} from './inbox/load-batch.ts';
import { loadPull } from './load/load-run.ts';
import { type PageOptions, speakingAs } from './page-context.ts';
import { type Exchange, renderDocument, type View } from './page-response.ts';
import type { Visitor } from './sign-in/visitors.ts';

/** How long it is waited for what comes of all that is said, in milliseconds. */
const waitMs = 60_000;

/** Settles many runs of an inbox with the same words: what they are about is shown first, then it is said. */
export class Batches {
  readonly #options: PageOptions;
  readonly #runs: Runs;
  /** Who is saying something on many runs now. */
  readonly #speaking = new Set<number>();
  #isStopping = false;

  constructor(options: PageOptions) {
    this.#options = options;
    this.#runs = new Runs(options);
  }

  /** Says nothing more: the process is stopped, and no longer hears what comes of it. */
  close(): void {
    this.#isStopping = true;
  }

  /** What would be said on each of the chosen runs, or why nothing is. */
  async review(visitor: Visitor, fields: URLSearchParams): Promise<View> {
    const batch = batchIn(fields);
    const found = await this.#drafts(visitor, batch);
    const person = speakingAs(this.#options, visitor);
    return { title: titleOf(batch), person, main: batchReview(batch, found) };
  }

  /** Says it on one run after the other, and shows what comes of each as soon as that is known. */
  async say({ response }: Exchange, visitor: Visitor, fields: URLSearchParams): Promise<void> {
    const batch = batchIn(fields);
    const { id } = visitor.caller;
    if (this.#speaking.has(id))
      throw new Problem(409, 'You are settling other runs just now: wait until that is done.');
    this.#speaking.add(id);
    try {
      await this.#sayAll(response, visitor, batch);
    } finally {
      this.#speaking.delete(id);
    }
  }

  async #sayAll(response: Exchange['response'], visitor: Visitor, batch: Batch): Promise<void> {
    const found = await this.#drafts(visitor, batch);
    const drafts = found.filter((each) => 'text' in each);
    const leftOut = found.filter((each) => 'why' in each);
    const [before, after] = this.#aroundRows(visitor, batch);
    const headers = { ...securityHeaders, 'cache-control': 'no-store' };
    response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8' });
    response.write(before + leftOut.map((each) => leftOutRow(each).text).join(''));
    const all: Pick<Settled<PageDraft>, 'status'>[] = leftOut.map(() => ({ status: 'left_out' }));
    try {
      for await (const settled of sayEach(this.#door(visitor, batch), drafts, waitMs)) {
        all.push(settled);
        response.write(settledRow(settled).text);
        // Nobody reads what would be said next.
        if (response.destroyed) return;
      }
      response.end(`</ul>${settledSummary(all).text}${after}`);
    } catch (fault) {
      const { message } = pageProblem(fault, 'The rest was not said', this.#log);
      response.end(`</ul>${stoppedNote(message, drafts[all.length - leftOut.length]).text}${after}`);
    }
  }

  #door(visitor: Visitor, batch: Batch): BatchDoor<PageDraft> {
    const voice = this.#voice(visitor);
    return {
      look: async ({ chosen }) => {
        this.#goOn();
        return this.#draft(visitor, batch, chosen);
      },
      say: async (draft, ms) => {
        try {
          return await sayDraftOnce(voice, draft, ms);
        } catch (fault) {
          // A conversation that is locked, or a run that is gone by now, says nothing of the others.
          if (!isFinalRefusal(fault)) throw fault;
          return { status: 'left_out', why: `GitHub did not take it: ${fault.reason}` };
        }
      },
    };
  }

  /** Throws what ends a batch when the process is stopped. */
  #goOn(): void {
    if (this.#isStopping)
      throw new Problem(503, 'Coxswain is being stopped: what was posted last is taken up when it is back.');
  }

  get #log() {
    return this.#options.liveRuns.services.log;
  }

  /** The page before its rows, and after them. */
  #aroundRows(visitor: Visitor, batch: Batch): readonly [string, string] {
    const main = html`<h1>/${batch.command} on many runs</h1><ul class="rows">${trusted(rowsGoHere)}`;
    const view = { title: titleOf(batch), person: speakingAs(this.#options, visitor), main };
    const [before = '', after = ''] = renderDocument(view).text.split(rowsGoHere);
    return [before, after];
  }

  #drafts(visitor: Visitor, batch: Batch): Promise<readonly (PageDraft | LeftOutRun)[]> {
    return Promise.all(batch.chosen.map((chosen) => this.#draft(visitor, batch, chosen)));
  }

  /** What would be said on a run as it is now, or why nothing is. */
  async #draft(visitor: Visitor, batch: Batch, chosen: Chosen): Promise<PageDraft | LeftOutRun> {
    let look: Look | undefined;
    try {
      look = await this.#look(visitor, chosen.place);
    } catch (fault) {
      const { status, message } = pageProblem(fault, 'It could not be read', this.#log);
      // Whose token is refused can do nothing any more; anything else says nothing of the other runs.
      if (status === 401) throw fault;
      if (status !== 404) return { chosen, why: message };
    }
    return draftFor(batch, chosen, look, new Date().toISOString());
  }

  async #look(visitor: Visitor, place: RunPlace): Promise<Look> {
    const { run, state, readable } = await this.#runs.read(visitor.caller, place);
    const { head_sha } = await loadPull(visitor.reader, { page: 'pull', ...place });
    return { state, by: personIn(visitor.caller, readable), web: webOf(run.repository), head_sha };
  }

  #voice({ caller }: Visitor): Voice<PageDraft> {
    const { seals } = this.#options.liveRuns.services;
    return {
      person: caller.octokit,
      stepsSince: async ({ place }, seq) => {
        this.#goOn();
        return recordedIn((await this.#runs.read(caller, place)).run, seq);
      },
      sealing: ({ repository_id }) => seals && { seals, door: 'page', repository_id, user_id: caller.id },
    };
  }
}

function titleOf({ command }: Batch): string {
  return `/${command} on many runs · Coxswain`;
}

/** It stands nowhere else in a page. */
const rowsGoHere = '<!-- rows -->';

/** What was said before stays said, and is found where it is said again. */
function stoppedNote(message: string, at: PageDraft | undefined): Html {
  const where = at && `Stopped at ${at.report.run}. `;
  return html`<p class="notice problem" role="alert">${where}${message}</p>
<p>What comes after it was not said. <a href="/">Back to the inbox</a>, where the rest can be chosen again: nothing is said twice.</p>`;
}
