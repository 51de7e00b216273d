import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { put, temporaryFolder } from '../agent-fixture.ts';
import { answers, converse, opening, speaks, turn, waitsFor } from './conversing.ts';

const lines = [...opening(), ...turn([speaks('ok')])];

test('an agent finds its own settings, and none that setup left for agents', async () => {
  const { run, home } = await converse(lines, {
    agent: { use: 'opencode', model: 'openai/gpt-5.5' },
    prepareHome: (folder) =>
      put(folder, {
        '.config/opencode/opencode.json': '{"permission":"allow"}',
        '.local/share/opencode/auth.json': '{}',
        '.claude/settings.json': '{}',
        '.agents/skills/evil/SKILL.md': 'evil',
        '.npmrc': 'fund=false',
      }),
  });
  expect((await run.done).kind).toBe('completed');
  const settings = JSON.parse(readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8'));
  expect(settings).toMatchObject({ model: 'openai/gpt-5.5', permission: { bash: 'ask', edit: 'ask' } });
  expect(existsSync(join(home, '.claude'))).toBe(false);
  expect(existsSync(join(home, '.agents'))).toBe(false);
  expect(existsSync(join(home, '.local/share/opencode'))).toBe(false);
  expect(readFileSync(join(home, '.npmrc'), 'utf8')).toBe('fund=false');
});

test('settings are written through no link that setup left', async () => {
  const outside = temporaryFolder();
  put(outside, { 'opencode/opencode.json': 'theirs' });
  const { run, home } = await converse(lines, {
    agent: { use: 'opencode' },
    prepareHome: (folder) => {
      rmSync(join(folder, '.config'), { recursive: true, force: true });
      symlinkSync(outside, join(folder, '.config'));
      writeFileSync(join(folder, '.local'), 'a file');
    },
  });
  expect((await run.done).kind).toBe('completed');
  expect(readFileSync(join(outside, 'opencode/opencode.json'), 'utf8')).toBe('theirs');
  expect(readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8')).toContain('"autoupdate"');
});

test("the branch's own settings for agents are not there for the agent", {
  tags: ['bubblewrap'],
}, async () => {
  const { run, workspace } = await converse(
    [
      ...opening(),
      ...turn([{ do: 'list', paths: ['opencode.json', '.claude/settings.json', '.git'], path: 'seen.json' }]),
    ],
    { files: { 'opencode.json': '{"permission":"allow"}', '.claude/settings.json': '{"hooks":{}}' } },
  );
  expect((await run.done).kind).toBe('completed');
  expect(JSON.parse(readFileSync(join(workspace, 'seen.json'), 'utf8'))).toEqual({
    'opencode.json': '',
    '.claude/settings.json': null,
    '.git': 'read-only',
  });
});

test('Claude Code is told to read no settings of the branch, and to ask', async () => {
  const { run, heard } = await converse(
    [...opening(), waitsFor('session/set_mode', 'm'), answers('m', {}), ...turn([speaks('ok')])],
    { agent: { use: 'claude', mcp: [{ name: 'docs', command: ['node', 'docs.mjs'] }] } },
  );
  expect((await run.done).kind).toBe('completed');
  const [, made, mode] = heard();
  expect(made?.params).toMatchObject({
    mcpServers: [{ name: 'docs', command: 'node', args: ['docs.mjs'], env: [] }],
    _meta: { claudeCode: { options: { settingSources: ['user'], strictMcpConfig: true } } },
  });
  expect(mode?.params).toEqual({ sessionId: 's1', modeId: 'default' });
});

test('a folder of a home that cannot be one is no obstacle', async () => {
  const { run } = await converse(lines, {
    agent: { use: 'codex', effort: 'high' },
    prepareHome: (folder) => mkdirSync(join(folder, '.codex/config.toml'), { recursive: true }),
  });
  expect((await run.done).kind).toBe('completed');
});
