import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gatesOnCall } from '../../src/agent/attempt/host.ts';
import { instructionFiles } from '../../src/agent/attempt/instructions.ts';
import { keysOf } from '../../src/config/schema/agent-keys.ts';
import { gatesOnDiff } from '../../src/gates/index.ts';
import { isAgentSetting, isAtOrBelow, pathsOf, profiles } from '../../src/profiles/index.ts';
import type { NamedProfile } from '../../src/profiles/profile.ts';

describe.each(Object.entries(profiles))('%s', (name, profile) => {
  const { launch, paths } = profile;

  test('has the name by which it is listed, and its locked package in the version that is pinned', () => {
    expect(profile.name).toBe(name);
    const file = `agents/${name}/package.json`;
    expect(existsSync(file)).toBe(launch.package !== undefined);
    if (launch.package === undefined) return expect(launch.page).toMatch(/^https:/);
    const { dependencies } = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.values(dependencies)).toEqual([launch.package.version]);
  });

  test('loses in its home whatever set-up has left there, before its own settings are written', () => {
    const given = { choice: { use: name, timeout_s: 1 }, models: {}, workspace: '/w', servers: [] };
    const written = [
      ...Object.keys(profile.homeFiles?.(given) ?? {}),
      ...(profile.skillsFolder ? [profile.skillsFolder] : []),
    ];
    expect(written.filter((path) => !paths.home.some((folder) => isAtOrBelow(path, folder)))).toEqual([]);
    expect(paths.home).not.toEqual([]);
  });

  test.each(paths.workspace)('does not see %s, and a change of it waits for people', (path) => {
    expect(instructionFiles({ hidden: pathsOf([profile]).workspace })(path)).toEqual({
      folder: '',
      hidden: 'all',
    });
    const files = [{ path: `${path}/a.json`, status: 'added', additions: 1, deletions: 0 }] as const;
    const rule = 'changes-automation';
    expect(gatesOnDiff(files, { isAgentSetting })).toMatchObject([{ rule }]);
    expect(gatesOnCall({ kind: 'execute', title: '', command: `echo {} > ${path}` })).toMatchObject([
      { rule },
    ]);
  });

  test.each(paths.instructions)('sees %s as the default branch has it', (path) => {
    expect(instructionFiles({ hidden: [] })(path)).toEqual({ folder: '' });
  });
});

test('texts among the settings of an agent are not what it runs', () => {
  expect(isAgentSetting('.claude/skills/release/SKILL.md')).toBe(false);
  expect(isAgentSetting('.claude/skills/release/run.sh')).toBe(true);
  expect(isAgentSetting('docs/.claude.md')).toBe(false);
});

describe('an agent that is added', () => {
  const toy: NamedProfile = {
    ...profiles.claude,
    ...{ name: 'toy', title: 'Toy', takes: { model: true, effort: false } },
    paths: { home: ['.toy'], workspace: ['.toyrc'], instructions: ['TOY.md'] },
  };

  test('is looked after with all others', () => {
    const { home, workspace, instructions } = pathsOf([...Object.values(profiles), toy]);
    expect(home).toContain('.toy');
    expect(workspace).toContain('.toyrc');
    expect(instructions).toContain('TOY.md');
  });

  test('can be configured', () => {
    const { use, model, effort } = keysOf('toy', toy);
    expect([use.safeParse('toy').success, model.safeParse('a').success]).toEqual([true, true]);
    expect(effort.safeParse('low').error?.message).toContain('Toy cannot be told an effort');
  });

  test('does not compile without its paths, or what a configuration has to know', () => {
    const { paths, asks, keys, takes, recipe, ...rest } = toy;
    // @ts-expect-error nobody would hide, guard or remove its settings
    const unguarded: NamedProfile = { ...rest, asks, keys, takes, recipe };
    // @ts-expect-error a configuration would know neither its keys nor what it asks
    const unknown: NamedProfile = { ...rest, paths };
    expect([unguarded, unknown]).toHaveLength(2);
  });
});
