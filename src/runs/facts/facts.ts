import type { Told } from '../../github/listen/heard.ts';
import { isAlwaysAnswered } from '../../steering/approval/authorization.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import { withGroupFailures } from '../run/groups.ts';
import type { Asking, SaidFacts } from './asking.ts';
import { findBranchFacts, findPushFacts } from './base.ts';
import { findCopy } from './copies.ts';
import { isUndone, withSettings } from './moves.ts';
import { findAgentFacts } from './named-agent.ts';
import { findTaskFacts } from './tasks.ts';
import { findTeams } from './teams.ts';

/**
 * The event with everything that Git, GitHub, the configuration and this process have to say before it can be
 * decided: what is asked, by the kind of the event. Undefined if it has been undone, or is no news.
 */
export async function withFacts(event: Told, asking: Asking): Promise<Event | undefined> {
  switch (event.type) {
    case 'said':
      return {
        ...event,
        ...(await findCopy(event, asking)),
        ...(await factsOfCommand(event, asking)),
        ...(await findTeams(event, asking)),
      };
    case 'pushed':
      return { ...event, ...(await findPushFacts(event, asking)) };
    case 'closed':
    case 'reopened':
      return (await isUndone(event, asking)) ? undefined : event;
    case 'retargeted':
      return withSettings(event, asking);
    case 'dequeued':
      return withGroupFailures(event, asking.run);
    default:
      return event;
  }
}

/** People without write access may use none of these commands, and must not make us fetch. */
async function factsOfCommand({ command, by }: EventOf<'said'>, asking: Asking): Promise<SaidFacts> {
  if (!isAlwaysAnswered(by.role)) return {};
  switch (command.type) {
    case 'steer':
      return findAgentFacts(command, asking);
    case 'update':
      return findBranchFacts(asking);
    case 'retry':
    case 'spawn':
      return findTaskFacts(command, asking);
    default:
      return {};
  }
}
