import { maySpeak } from '../../steering/policy.ts';
import type { Settings } from '../../steering/settings.ts';
import { CannotStart } from './cannot-start.ts';
import type { Starting } from './starting.ts';

/** Refuses a run that another App requested on behalf of a person, unless the configuration lists the App. */
export function requireOwnWords({ request: { via_app } }: Starting, { approval }: Settings): void {
  if (via_app === undefined || maySpeak(approval, via_app)) return;
  throw new CannotStart({ why: 'said_by_app', app: via_app });
}
