import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { barrierFolder } from './barrier.ts';
import { at } from './person.ts';
import { protocolAgent } from './protocol-agent.ts';

/** Two agents on the search path, by the names that their profiles look for. */
let fixture: AppFixture;
let folder: string;

const config = `version: 1
agent: { use: claude, timeout: 60s }
verifiers:
  - { name: test, run: "! grep -rn BROKEN src" }
`;

/** Signs what it writes with its own name. */
function program(): string {
  const version = "if (process.argv.includes('--version')) { console.log('99.0.0'); process.exit(0); }";
  return `#!/usr/bin/env node\n${protocolAgent.replace('const waiting', `${version}\nconst waiting`)}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-agents-'));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  for (const name of ['claude-agent-acp', 'codex-acp']) {
    writeFileSync(join(folder, name), program());
    chmodSync(join(folder, name), 0o755);
  }
  fixture = await startAppFixture({
    files: { '.github/coxswain.yml': config },
    variables: {
      PATH: `${folder}:${process.env['PATH']}`,
      COXSWAIN_SANDBOX_READABLE: `${barrierFolder()},${folder}`,
      ANTHROPIC_API_KEY: 'dummy-key-of-nobody',
      OPENAI_API_KEY: 'dummy-key-of-nobody',
    },
  });
});
afterAll(async () => {
  await expectCleanEnd(fixture).finally(() => rmSync(folder, { recursive: true }));
});

test('a pull request outlives its agent', async () => {
  const { ada } = fixture;
  const pull = await ada.starts('agent: sign');
  await pull.waitForPhase('awaiting_approval');
  await ada.says(pull, '/steer --with codex agent: sign');
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  await ada.says(pull, '/steer agent: sign');
  await pull.waitForPhase('awaiting_approval', { iteration: 2 });
  const file = { path: 'src/0.txt', ref: await pull.head(), mediaType: { format: 'raw' } };
  const { data } = await ada.octokit.rest.repos.getContent({ ...at, ...file });
  expect(String(data)).toBe('as it was\nclaude-agent-acp\ncodex-acp\ncodex-acp\n');
  const { state, events } = await pull.ledger();
  const used = events.flatMap((event) =>
    event.type === 'attempt_started' ? [event.settings?.agent.use] : [],
  );
  expect(used).toEqual(['claude', 'codex', 'codex']);
  expect(state.iterations[1]?.steers).toMatchObject([{ with: 'codex' }]);
});
