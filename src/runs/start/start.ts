import { mayStart } from '../../steering/approval/authorization.ts';
import type { StartRefusal } from '../../words/start-texts.ts';
import type { Run } from '../run/run.ts';
import { adopt } from './adopt.ts';
import { refusalFrom } from './cannot-start.ts';
import { openRun } from './open-run.ts';
import type { Starting } from './starting.ts';

/** The outcome of a request for a run. */
export type Started =
  | { readonly outcome: 'started'; readonly run: Run }
  | { readonly outcome: 'refused'; readonly refusal: StartRefusal }
  /** An old delivery or one from a bot: nobody expects an answer. */
  | { readonly outcome: 'nothing' };

/** Starts a run or adopts a pull request. Idempotent, also after a crash. */
export async function startRun(starting: Starting): Promise<Started> {
  const { request } = starting;
  if (request.by.bot) return { outcome: 'nothing' };
  if (!mayStart(request.by))
    return { outcome: 'refused', refusal: { why: 'not_permitted', has: request.by.role } };
  if (request.issue?.open === false) return { outcome: 'refused', refusal: { why: 'issue_closed' } };
  try {
    const { adopt: wanted } = request;
    const run = wanted === null ? await openRun(starting) : await adopt(starting, wanted.number);
    return run === undefined ? { outcome: 'nothing' } : { outcome: 'started', run };
  } catch (fault) {
    const refusal = refusalFrom(fault);
    if (refusal === undefined) throw fault;
    return { outcome: 'refused', refusal: await withProposal(refusal, starting) };
  }
}

/** Where a repository has no configuration yet, one is proposed. */
async function withProposal(
  refusal: StartRefusal,
  { request, repository, liveRuns: { services } }: Starting,
): Promise<StartRefusal> {
  if (refusal.why !== 'misconfigured' || !refusal.reading.missing) return refusal;
  // Another App asks for nothing in the name of a person who has not allowed that, which is in the file.
  if (request.via_app !== undefined) return refusal;
  const { where } = refusal.reading;
  const told = await services.proposeSetup?.({ repository, request, where });
  return told === undefined ? refusal : { why: 'not_set_up', told };
}
