import { expect, test } from 'vitest';
import { pageBeside } from '../../../src/cli/demo/start-demo.ts';
import { story } from '../../steering/story.ts';

const { state } = story().starts({ owner: 'acme', repo: 'widgets', number: 4, branch: 'coxswain/count-1a' });

test.each([
  ['/acme/widgets/pull/5/files', '/acme/widgets/pull/5', "Coxswain's page of this pull request"],
  ['/acme/widgets/issues/1', '/acme/widgets/issues/1', "Coxswain's page of this issue"],
  ['/acme/widgets/blob/coxswain/count-1a/README.md', '/acme/widgets/pull/4', "Coxswain's page of #4"],
  ['/acme/widgets/commits/coxswain/count-1a', '/acme/widgets/pull/4', "Coxswain's page of #4"],
  [`/acme/widgets/compare/abc...${state.head}`, '/acme/widgets/pull/4', "Coxswain's page of #4"],
  ['/acme/widgets/blob/coxswain/count-1ab/README.md', '/', "Coxswain's page"],
  ['/acme/others/blob/coxswain/count-1a/README.md', '/', "Coxswain's page"],
  ['/acme/widgets', '/', "Coxswain's page"],
])('beside %s is %s', (path, view, text) => {
  const page = 'http://127.0.0.1:3000';
  expect(pageBeside(path, page, [state])).toEqual({ url: page + view, text });
});
