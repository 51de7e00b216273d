import { advisableTo, foreseenRefusal } from '../../steering/answering/advising.ts';
import { answeringTeams, rulesOf, teamsIn } from '../../steering/approval/approval-needs.ts';
import { mayOverride } from '../../steering/approval/policy.ts';
import type { CommandName } from '../../steering/commands/index.ts';
import { possibleIn, sayableIn } from '../../steering/phases/table.ts';
import type { Refusal } from '../../steering/state/pending-effect.ts';
import type { State } from '../../steering/state/state.ts';
import { personOf, type Viewer } from '../load/github-reader.ts';
import { isSaidOnGitHubOnly, type Posting, type Reach } from './postings.ts';

/** Who speaks on this page, and what is known of what they said. */
export interface Speaker {
  readonly viewer: Viewer;
  readonly reach: Reach;
  readonly posting: Posting | undefined;
  /** When the page is rendered, ISO 8601. */
  readonly at: string;
}

/** The commands available now, by what they would come to if they were said on this page. */
export interface Offers {
  /** As far as can be foreseen, they are accepted. */
  readonly offered: readonly CommandName[];
  /** They are said on GitHub only. */
  readonly onGitHub: readonly CommandName[];
  readonly refused: readonly RefusedOffer[];
  /** The failed verifiers that an approval by this person has to name; empty if there are none. */
  readonly despite: readonly string[];
}

export interface RefusedOffer {
  readonly name: CommandName;
  readonly refusal: Refusal;
  /** What they can say instead. */
  readonly possible: readonly CommandName[];
}

export function offersOf(state: State, { viewer, reach, at }: Omit<Speaker, 'posting'>): Offers {
  // Whether they are in a team is asked when they say it.
  const by = { ...personOf(viewer), teams: [...teamsIn(rulesOf(state)), ...answeringTeams(state)] };
  const onGitHub = sayableIn(state).filter((name) => isSaidOnGitHubOnly(name, reach));
  const here = possibleIn(state).filter((name) => !onGitHub.includes(name));
  const possible = advisableTo(state, { by, at });
  const refused = here.flatMap((name) => {
    const refusal = foreseenRefusal(state, name, { by, at });
    return refusal === undefined ? [] : [{ name, refusal, possible }];
  });
  const red = refused.find(({ refusal }) => refusal.why === 'red_verifiers')?.refusal;
  const despite = red?.why === 'red_verifiers' && mayOverride(by) ? red.names : [];
  return {
    offered: here.filter((name) => possible.includes(name)),
    onGitHub,
    refused: refused.filter(({ refusal }) => !(despite.length > 0 && refusal === red)),
    despite,
  };
}
