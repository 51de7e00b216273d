import { describe, expect, test } from 'vitest';
import {
  isJudgedOnDiff,
  permitFor,
  usualPermissions,
} from '../../src/steering/permission/permitted-calls.ts';
import type { GateHit } from '../../src/steering/shapes/attempt-result.ts';
import type { PermissionSettings } from '../../src/steering/shapes/settings.ts';

function hit(rule: string, severity: GateHit['severity'] = 'high'): GateHit {
  return { rule, severity, evidence: 'x' };
}

function permit(
  kind: string,
  rules: readonly GateHit[] = [],
  given: { permissions?: Partial<PermissionSettings>; sandboxed?: boolean; always?: readonly string[] } = {},
) {
  const { permissions = {}, sandboxed = true, always = [] } = given;
  return permitFor(
    { kind, hits: rules },
    { permissions: { ...usualPermissions, ...permissions }, sandboxed, allowed_rules: always },
  );
}

describe('a call that no rule matches', () => {
  test.each(['read', 'search', 'think', 'fetch', 'edit', 'delete', 'move', 'execute', 'other'])(
    '%s is allowed where nothing is written',
    (kind) => expect(permit(kind)).toBe('allow'),
  );

  test('never leads to a mode in which the agent no longer asks', () => {
    expect(permit('switch_mode')).toBe('deny');
  });

  test.each([
    ['edit', { edit: 'ask' }, 'ask'],
    ['delete', { delete: 'deny' }, 'deny'],
    ['read', { execute: 'deny', edit: 'deny' }, 'allow'],
    ['other', { execute: 'ask' }, 'ask'],
  ] as const)('%s follows %j', (kind, permissions, expected) => {
    expect(permit(kind, [], { permissions })).toBe(expected);
  });

  test('is no longer asked about when its kind is always allowed', () => {
    const permissions = { execute: 'ask' } as const;
    expect(permit('execute', [], { permissions, always: ['kind:execute'] })).toBe('allow');
    expect(permit('execute', [], { permissions, always: ['kind:edit'] })).toBe('ask');
    expect(permit('execute', [], { permissions: { execute: 'deny' }, always: ['kind:execute'] })).toBe(
      'deny',
    );
  });
});

describe('a call that a rule matches', () => {
  test.each([
    'deletes-files',
    'rewrites-history',
    'loosens-permissions',
    'installs-system-packages',
    'unparsable',
  ])('%s ends in the workspace of a sandbox, and is asked about without one', (rule) => {
    expect(permit('execute', [hit(rule)])).toBe('allow');
    expect(permit('execute', [hit(rule)], { sandboxed: false })).toBe('ask');
    expect(isJudgedOnDiff({ kind: 'execute', hit: hit(rule) }, { sandboxed: true })).toBe(true);
  });

  test.each(['drops-data', 'changes-production', 'touches-secrets', 'runs-remote-code'])(
    '%s reaches beyond it, and is asked about',
    (rule) => expect(permit('execute', [hit(rule)])).toBe('ask'),
  );

  test('is decided by the strictest of all rules and of its kind', () => {
    const both = [hit('deletes-files'), hit('touches-secrets', 'critical')];
    expect(permit('execute', both)).toBe('ask');
    expect(permit('execute', both, { permissions: { rules: { 'deletes-files': 'deny' } } })).toBe('deny');
    expect(permit('execute', both, { permissions: { execute: 'deny' } })).toBe('deny');
    const allowed = { rules: { 'touches-secrets': 'allow' } } as const;
    expect(permit('execute', both, { permissions: allowed })).toBe('allow');
  });

  test('is not asked about again when its rule is always allowed, unless it is critical', () => {
    const always = ['runs-remote-code', 'touches-secrets'];
    expect(permit('execute', [hit('runs-remote-code')], { always })).toBe('allow');
    expect(permit('execute', [hit('touches-secrets', 'critical')], { always })).toBe('ask');
    const denied = { rules: { 'runs-remote-code': 'deny' } } as const;
    expect(permit('execute', [hit('runs-remote-code')], { always, permissions: denied })).toBe('deny');
  });
});
