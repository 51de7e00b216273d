import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runStep } from './runner.ts';
import { action, example, exampleText } from './workflow.ts';

const bundle = inject('action');
let alone: string;

beforeAll(async () => {
  alone = mkdtempSync(join(tmpdir(), 'coxswain-alone-'));
});
afterAll(() => {
  rmSync(alone, { recursive: true, force: true });
});

describe('the bundle', () => {
  test("is one file that imports only Node's own modules", () => {
    expect(bundle.files).toEqual(['index.js']);
    expect(bundle.imports.length).toBeGreaterThan(0);
    const others = bundle.imports.filter((from) => !isBuiltin(from) && !bundle.files.includes(from));
    expect(others).toEqual([]);
    const required = [
      ...readFileSync(bundle.main, 'utf8').matchAll(/\brequire\(\s*["'`]([^"'`]+)["'`]\s*\)/g),
    ];
    expect(required.map(([, name = '']) => name).filter((name) => !isBuiltin(name))).toEqual([]);
  });

  test('stays below 1.4 MB: every job downloads it', () => {
    expect(readFileSync(bundle.main).length).toBeLessThan(1_400_000);
  });

  test('runs without a package.json and without packages', async () => {
    // Without a package.json, Node needs `.mjs` to know the format; on GitHub our package.json is there.
    const main = join(alone, 'index.mjs');
    copyFileSync(bundle.main, main);
    const outcome = await runStep({
      main,
      event: { name: 'watch', payload: { action: 'started' } },
      token: 'ghs_none',
      repository: 'acme/widgets',
      github: { url: 'http://127.0.0.1:1', apiUrl: 'http://127.0.0.1:1/api/v3' },
      runId: 1,
    });
    expect(outcome).toMatchObject({
      code: 0,
      log: '::add-mask::ghs_none\nthis watch event does not concern a run\n',
    });
  });
});

describe('the page about the Action', () => {
  const page = readFileSync(new URL('../../docs/action.md', import.meta.url), 'utf8');

  test('lists the inputs and outputs of action.yml with the same descriptions', () => {
    const inputs = Object.entries(action.inputs).map(([name, { description, default: usual }]) => {
      return `| \`${name}\` | ${usual === undefined ? '' : `\`${usual}\` `}| ${description} |`;
    });
    const outputs = Object.entries(action.outputs).map(
      ([name, { description }]) => `| \`${name}\` | ${description} |`,
    );
    expect(page).toContain(inputs.join('\n'));
    expect(page).toContain(outputs.join('\n'));
  });

  test('says what each permission of the example is for', () => {
    const rows = [...page.matchAll(/^\| `([\w-]+): (read|write)` \| .+ \|$/gm)];
    expect(rows.map(([, name, level]) => [name, level])).toEqual(Object.entries(example.permissions));
  });
});

describe('the example workflow', () => {
  test('offers the inputs of action.yml for a manual start', () => {
    const offered = Object.keys(example.on.workflow_dispatch.inputs);
    expect(offered.filter((name) => !(name in action.inputs))).toEqual([]);
    expect(offered).toEqual(['prompt', 'agent', 'verifiers', 'base']);
  });

  test('requests the permissions that it uses', () => {
    expect(example.permissions).toEqual({
      contents: 'write',
      'pull-requests': 'write',
      issues: 'write',
      checks: 'write',
      actions: 'read',
    });
  });

  test('fits on a page', () => {
    expect(exampleText.split('\n').length).toBeLessThanOrEqual(62);
  });
});
