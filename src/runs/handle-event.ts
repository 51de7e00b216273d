import type { Heard } from '../github/listen/github-event.ts';
import type { Hearing, StartRequest } from '../github/listen/run-event.ts';
import { hear } from '../github/listen/translate.ts';
import { keepClick } from '../github/read/own-checks.ts';
import type { Event, EventOf } from '../steering/event.ts';
import { covers } from '../steering/person.ts';
import { acknowledge } from './acknowledge.ts';
import { readConfigAt } from './configuration.ts';
import type { Lane } from './live-run.ts';
import type { Lanes } from './live-runs.ts';
import { mendRun, tellRun } from './restore/record-event.ts';
import type { Repository, Workshop } from './services.ts';
import { startRun, type Wish } from './start/start.ts';
import { tellWhyNot } from './start-refused.ts';

/** Where something was heard. */
export interface Place {
  readonly repository: Repository;
  readonly lanes: Lanes;
  /** What a workflow's inputs ask for beyond the words. */
  readonly wish?: Wish;
}

/** Takes in what was heard of one repository. Resolves when all that concerns a run is remembered. */
export async function takeIn(heard: Heard, place: Place): Promise<void> {
  const { octokit, own } = place.repository;
  const trigger = heard.kind === 'labeled' ? await triggerOf(heard.repository.default_branch, place) : '';
  const hearings = await hear(heard, { octokit, trigger, own });
  await Promise.all(hearings.map((hearing) => takeHearing(hearing, place)));
}

async function takeHearing(hearing: Hearing, place: Place): Promise<void> {
  const { repository, lanes } = place;
  switch (hearing.kind) {
    case 'event':
      return takeEvent(hearing.event, lanes.of(repository, hearing.number), lanes.workshop);
    case 'start':
      return takeWish(hearing.request, place);
    case 'body_edited':
      return mendRun(lanes.of(repository, hearing.number), hearing, lanes.workshop);
    case 'installed':
    case 'sweep':
      // Doors that know all their repositories answer these.
      return;
  }
}

/** A person sees at once that they were heard, by whoever acts for the run: the other door only records. */
async function takeEvent(event: Event, lane: Lane, workshop: Workshop): Promise<void> {
  if (event.type !== 'said') return tellRun(lane, event, workshop);
  const isOurs = () => lane.newest?.run.presenter === workshop.presenter;
  const wasOurs = isOurs();
  if (wasOurs) acknowledge(lane.repository, event, workshop);
  await keepApproval(event, lane);
  await tellRun(lane, event, workshop);
  if (!wasOurs && isOurs()) acknowledge(lane.repository, event, workshop);
}

/** A click leaves no words that could be read again, so it is kept where nobody else can write. */
async function keepApproval(
  { command, source, by }: EventOf<'said'>,
  { repository, number }: Lane,
): Promise<void> {
  if (source.from !== 'click' || command.type !== 'approve' || !covers(by.role, 'write')) return;
  const { octokit, own } = repository;
  await keepClick(octokit, { where: repository, number, own }, { login: by.login, source });
}

async function takeWish(request: StartRequest, { repository, lanes, wish = {} }: Place): Promise<void> {
  acknowledge(repository, request, lanes.workshop);
  const started = await startRun({ request, repository, lanes, wish });
  if (started.outcome === 'refused') await tellWhyNot(repository, request, started.refusal);
}

/**
 * The label that starts runs here. While the configuration is broken it is the usual one, so that somebody
 * is told.
 */
async function triggerOf(branch: string, { repository, lanes }: Place): Promise<string> {
  const reading = await readConfigAt(repository, branch, lanes.workshop).catch(() => undefined);
  return reading?.outcome === 'configured' ? reading.settings.labels.trigger : 'coxswain';
}
