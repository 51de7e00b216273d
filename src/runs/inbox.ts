import { hear } from '../github/listen/hear.ts';
import type { Heard } from '../github/listen/heard.ts';
import type { Hearing } from '../github/listen/hearing.ts';
import { readConfigAt } from './configuration.ts';
import { acknowledge } from './eyes.ts';
import type { Lanes } from './lanes.ts';
import { tellWhyNot } from './notice.ts';
import { startRun } from './start/start.ts';
import type { Repository } from './workshop.ts';

/** Takes in what was heard of one repository. Resolves when all that concerns a run is remembered. */
export async function takeIn(heard: Heard, repository: Repository, lanes: Lanes): Promise<void> {
  const { octokit, own } = repository;
  const trigger = heard.kind === 'labeled' ? await triggerOf(heard.repository, repository, lanes) : '';
  const hearings = await hear(heard, { octokit, trigger, own });
  await Promise.all(hearings.map((hearing) => takeHearing(hearing, repository, lanes)));
}

async function takeHearing(hearing: Hearing, repository: Repository, lanes: Lanes): Promise<void> {
  switch (hearing.kind) {
    case 'event': {
      const { event, number } = hearing;
      if (event.type === 'said') acknowledge(repository, event.source, lanes.workshop);
      await lanes.of(repository, number).tell(event);
      return;
    }
    case 'start':
      return takeWish(hearing, repository, lanes);
    case 'body_edited':
      return lanes.of(repository, hearing.number).bodyEdited(hearing);
    case 'installed':
    case 'sweep':
      // Doors that know all their repositories answer these.
      return;
  }
}

async function takeWish(
  { request }: Extract<Hearing, { kind: 'start' }>,
  repository: Repository,
  lanes: Lanes,
): Promise<void> {
  if (request.source !== null) acknowledge(repository, request.source, lanes.workshop);
  const started = await startRun({ request, repository, lanes });
  if (started.outcome === 'refused') await tellWhyNot(repository, request, started.refusal);
}

/** The label that starts runs here. While the configuration is broken it is the usual one, so that somebody is told. */
async function triggerOf(
  { default_branch }: { default_branch: string },
  repository: Repository,
  lanes: Lanes,
): Promise<string> {
  const reading = await readConfigAt(repository, default_branch, lanes.workshop.operator).catch(
    () => undefined,
  );
  return reading?.outcome === 'configured' ? reading.settings.labels.trigger : 'coxswain';
}
