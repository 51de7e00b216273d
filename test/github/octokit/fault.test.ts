import { expect, test } from 'vitest';
import { GitHubFault, isFinalRefusal, MissingPermission } from '../../../src/github/octokit/fault.ts';

const doing = 'POST /repos/acme/api/issues/7/comments';

function fault(status: number, retriable = false): GitHubFault {
  return new GitHubFault({ doing, status, retriable, reason: 'no' });
}

test.each([403, 404, 410, 422, 451])('a %i would be answered again', (status) => {
  expect(isFinalRefusal(fault(status))).toBe(true);
});

test.each([
  ['a limit of requests', fault(403, true)],
  ['a failing GitHub', fault(502, true)],
  ['no answer', fault(0, true)],
  ['a conflict', fault(409)],
  ['a permission that may be granted', new MissingPermission({ doing, permission: '', reason: 'no' })],
  ['a bug of ours', new TypeError('no')],
])('%s may pass', (_, passing) => {
  expect(isFinalRefusal(passing)).toBe(false);
});
