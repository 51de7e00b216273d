import type { Route } from '../router.ts';
import { actionRoutes } from './actions.ts';
import { activityRoutes } from './activity.ts';
import { appRoutes } from './apps.ts';
import { branchRoutes } from './branches.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { commitRoutes } from './commits.ts';
import { contentWriteRoutes } from './content-writes.ts';
import { contentRoutes } from './contents.ts';
import { graphqlRoutes } from './graphql.ts';
import { deliveryRoutes } from './hook-deliveries.ts';
import { issueRoutes } from './issues.ts';
import { keyRoutes } from './keys.ts';
import { labelRoutes } from './labels.ts';
import { mergeRoutes } from './merges.ts';
import { pullRoutes } from './pulls.ts';
import { reactionRoutes } from './reactions.ts';
import { refRoutes } from './refs.ts';
import { repositoryRoutes } from './repositories.ts';
import { reviewCommentRoutes } from './review-comments.ts';
import { reviewerRoutes } from './reviewers.ts';
import { reviewRoutes } from './reviews.ts';
import { ruleRoutes } from './rules.ts';
import { searchRoutes } from './search.ts';
import { statusRoutes } from './statuses.ts';
import { teamRoutes } from './teams.ts';
import { timelineRoutes } from './timeline.ts';

/** Every route of the REST API that the forge serves. */
export const routes: Route[] = [
  ...actionRoutes,
  ...activityRoutes,
  ...appRoutes,
  ...branchRoutes,
  ...checkRoutes,
  ...commentRoutes,
  ...commitRoutes,
  ...contentRoutes,
  ...contentWriteRoutes,
  ...deliveryRoutes,
  ...graphqlRoutes,
  ...issueRoutes,
  ...keyRoutes,
  ...labelRoutes,
  ...mergeRoutes,
  ...pullRoutes,
  ...reactionRoutes,
  ...refRoutes,
  ...repositoryRoutes,
  ...reviewCommentRoutes,
  ...reviewRoutes,
  ...reviewerRoutes,
  ...ruleRoutes,
  ...searchRoutes,
  ...statusRoutes,
  ...teamRoutes,
  ...timelineRoutes,
];
