import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';

// The demo's agent is slow, so that people can watch it.
vi.setConfig({ testTimeout: 180_000 });

afterEach(() => vi.restoreAllMocks());

test('the JSON that the demo prints has every key of version 0.1.0, of the same type', async () => {
  const recorded = readFileSync(new URL('../../fixtures/recorded/demo.json', import.meta.url), 'utf8');
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  expect(await runCommand(['demo', '--headless', '--json'])).toBe(0);
  const [then, now] = [shapeOf(recorded), shapeOf(said.join(''))];
  expect(now).toEqual(expect.arrayContaining([...then]));
  const added = now.filter((leaf) => !then.includes(leaf));
  expect(
    added.filter(
      (leaf) =>
        !/^\.block\.(seal|requested_by|contributors|interrupt)\b|\.(author_id|files_of|formula): /.test(leaf),
    ),
  ).toEqual([]);
});

/** Every key with the types of its values, including the state in the body. */
function shapeOf(text: string): readonly string[] {
  // The comparison checks the rest.
  const outcome = JSON.parse(text) as { pull_request: { body: string }; requests: { by_route: object } };
  const [, block = ''] = /^<!-- coxswain:state (.*) -->$/m.exec(outcome.pull_request.body) ?? [];
  // Which routes are called may change; only that they are counted is compared.
  const requests = { ...outcome.requests, by_route: { any: Object.values(outcome.requests.by_route)[0] } };
  return [...new Set(leavesOf({ ...outcome, requests, block: JSON.parse(block) }, ''))].sort();
}

function leavesOf(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return [`${path}[]`, ...value.flatMap((item) => leavesOf(item, `${path}[]`))];
  if (value === null || typeof value !== 'object')
    return [`${path}: ${value === null ? null : typeof value}`];
  const inside = Object.entries(value).flatMap(([key, item]) => leavesOf(item, `${path}.${key}`));
  return [`${path}: object`, ...inside];
}
