import { maySpeak } from '../../steering/approval/authorization.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import { CannotStart } from './cannot-start.ts';
import type { Starting } from './starting.ts';

/** Refuses a run that another App requested on behalf of a person, unless the configuration lists the App. */
export function requireOwnWords({ request: { via_app } }: Starting, { approval }: Settings): void {
  if (via_app === undefined || maySpeak(approval, via_app)) return;
  throw new CannotStart({ why: 'said_by_app', app: via_app });
}

/** Refuses a run of which nothing is there yet if somebody else has run the job again that asked for it. */
export function requireOwnJob({ request: { by, again_by } }: Starting): void {
  if (again_by !== undefined) throw new CannotStart({ why: 'run_again', by: by.login, again_by });
}
