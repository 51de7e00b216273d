import type { Actor } from '../actors.ts';
import type { Json } from '../json.ts';
import type { Repository, Ruleset } from '../model.ts';
import { page } from '../pagination.ts';
import { branchRules, rulesetPayload, rulesetSummary } from '../payloads/rules.ts';
import { atLeast, covers, needs, roleOf } from '../permissions.ts';
import { notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { rulesetsOn } from '../rules/applied.ts';
import { bypassOf } from '../rules/bypass.ts';
import { numberOf } from './shared.ts';

const metadata = needs('read', { metadata: 'read' });

export const ruleRoutes: Route[] = [
  /** The rules that apply to a branch of this name, whether or not it exists and whoever may bypass them. */
  repositoryRoute('GET /rules/branches/{branch}', metadata, (request) => {
    const { context, repository, params } = request;
    const rulesets = rulesetsOn(repository, `refs/heads/${params['branch']}`);
    return page(
      request,
      rulesets.flatMap((ruleset) => branchRules(context, repository, ruleset)),
      (rule) => rule,
    );
  }),
  repositoryRoute('GET /rulesets', metadata, (request) =>
    page(request, request.repository.rulesets, (one) =>
      rulesetSummary(request.context, request.repository, one),
    ),
  ),
  /** Who may bypass it is only for those who may change it; whether the caller may is for the caller. */
  repositoryRoute('GET /rulesets/{ruleset_id}', metadata, (request) => {
    const { context, repository, actor } = request;
    const ruleset = rulesetIn(request);
    return ok({
      ...rulesetPayload(context, repository, ruleset),
      ...(mayAdminister(actor, repository) ? { bypass_actors: ruleset.bypass_actors } : {}),
      ...ownBypass(request, ruleset),
    });
  }),
];

function ownBypass({ context, repository, actor }: RepositoryRequest, ruleset: Ruleset): Json {
  if (actor.kind !== 'user' && actor.kind !== 'installation') return {};
  const caller = { ruleset, account_id: actor.account.id };
  return { current_user_can_bypass: bypassOf(context, repository, caller) };
}

function mayAdminister(actor: Actor, repository: Repository): boolean {
  if (actor.kind === 'user') return atLeast(roleOf(actor.account, repository), 'admin');
  return actor.kind === 'installation' && covers(actor.permissions, { administration: 'write' });
}

function rulesetIn({ repository, params }: RepositoryRequest): Ruleset {
  const id = numberOf(params['ruleset_id']);
  const ruleset = repository.rulesets.find((one) => one.id === id);
  if (!ruleset) throw notFound();
  return ruleset;
}
