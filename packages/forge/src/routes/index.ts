import { graphqlRoute } from '../graphql/root.ts';
import { createRouter, type Route } from '../router.ts';
import { appRoutes } from './apps.ts';
import { branchRoutes } from './branches.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { commitRoutes } from './commits.ts';
import { contentRoutes } from './contents.ts';
import { issueRoutes } from './issues.ts';
import { pullRoutes } from './pulls.ts';
import { repositoryRoutes } from './repositories.ts';
import { reviewRoutes } from './reviews.ts';
import { userRoutes } from './user.ts';

/** Every route of the REST API that the forge serves. */
const rest: Route[] = [
  ...appRoutes,
  ...branchRoutes,
  ...checkRoutes,
  ...commentRoutes,
  ...commitRoutes,
  ...contentRoutes,
  ...issueRoutes,
  ...pullRoutes,
  ...repositoryRoutes,
  ...reviewRoutes,
  ...userRoutes,
];

/** Mutations of GraphQL do what the REST API does. */
export const routes: Route[] = [...rest, graphqlRoute(createRouter(rest))];
