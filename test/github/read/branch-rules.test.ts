import { describe, expect, test } from 'vitest';
import { isGuarded, readBranchRules, requiresOwnCheck } from '../../../src/github/read/branch-rules.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const where = { owner: 'acme', name: 'api' };
const own = { login: 'coxswain[bot]', app: { id: 1 } };
const none = { enforcement_level: 'off', contexts: [], checks: [] };

type Checks = readonly { readonly context: string; readonly integration_id?: number | null }[];

function ruleset(required_status_checks: Checks, strict = false) {
  const parameters = { required_status_checks, strict_required_status_checks_policy: strict };
  return { type: 'required_status_checks', ruleset_id: 1, parameters };
}

function stub(rules: object | number, protection: object | number): void {
  const answers = [
    ['/repos/acme/api/rules/branches/main?per_page=100', rules],
    ['/repos/acme/api/branches/main', protection],
  ] as const;
  for (const [path, answer] of answers) {
    const [status, body] = typeof answer === 'number' ? [answer, { message: 'no' }] : [200, answer];
    github().get(path).reply(status, body);
  }
}

const branch = (required: object) => ({ name: 'main', protection: { required_status_checks: required } });
const read = () => readBranchRules(client(), where, 'main');

describe('our check counts as required only from our App', () => {
  test.each([
    ['a ruleset names our App', [ruleset([{ context: 'Coxswain', integration_id: 1 }])], none, true],
    ['a ruleset names another App', [ruleset([{ context: 'Coxswain', integration_id: 2 }])], none, false],
    ['a ruleset names no App', [ruleset([{ context: 'Coxswain' }])], none, false],
    ['a ruleset names another check', [ruleset([{ context: 'ci', integration_id: 1 }])], none, false],
    [
      'protection names our App',
      [],
      { enforcement_level: 'everyone', contexts: ['Coxswain'], checks: [{ context: 'Coxswain', app_id: 1 }] },
      true,
    ],
    [
      'protection takes it from any App',
      [],
      {
        enforcement_level: 'everyone',
        contexts: ['Coxswain'],
        checks: [{ context: 'Coxswain', app_id: -1 }],
      },
      false,
    ],
    [
      'protection is off',
      [],
      { enforcement_level: 'off', contexts: ['Coxswain'], checks: [{ context: 'Coxswain', app_id: 1 }] },
      false,
    ],
  ])('when %s', async (_, rules, required, expected) => {
    stub(rules, branch(required));
    expect(requiresOwnCheck(await read(), 'Coxswain', own)).toBe(expected);
  });

  test('and never in a workflow, which does not know the id of its App', async () => {
    stub([ruleset([{ context: 'Coxswain', integration_id: 1 }])], branch(none));
    expect(requiresOwnCheck(await read(), 'Coxswain', { ...own, app: { slug: 'github-actions' } })).toBe(
      false,
    );
  });
});

describe('a branch is guarded', () => {
  test.each([
    ['by a rule about pull requests', [{ type: 'pull_request' }], none, true],
    ['by a rule about updates', [{ type: 'update' }], none, true],
    ['by a merge queue', [{ type: 'merge_queue' }], none, true],
    ['by required checks', [ruleset([])], none, true],
    ['not by a rule about deletions', [{ type: 'deletion' }, { type: 'non_fast_forward' }], none, false],
  ])('%s', async (_, rules, required, expected) => {
    stub(rules, branch(required));
    expect(isGuarded(await read())).toBe(expected);
  });
});

test('a branch must be up to date if either a ruleset or its protection says so', async () => {
  stub([ruleset([], true)], branch(none));
  expect((await read()).strict).toBe(true);
  stub([], branch({ enforcement_level: 'everyone', strict: true, contexts: [], checks: [] }));
  expect((await read()).strict).toBe(true);
});

test('a branch that does not exist, and a GitHub without rulesets, have no rules', async () => {
  stub(404, 404);
  const none = { types: new Set(), checks: [], strict: false, rulesets: [], spares_admins: false };
  expect(await read()).toEqual(none);
});

test('an outage is not taken for a branch without rules', async () => {
  stub([], 403);
  await expect(read()).rejects.toThrow();
});
