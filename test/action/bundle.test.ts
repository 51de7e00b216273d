import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ceilings } from '../../scripts/size.mjs';
import { runStep } from './runner.ts';
import { action, example, exampleText } from './workflow.ts';

const bundle = inject('action');
const folder = dirname(bundle.main);
const sizeOf = (names: Iterable<string>) => {
  const counted = new Set(names);
  return bundle.files.reduce((sum, { name, bytes }) => sum + (counted.has(name) ? bytes : 0), 0);
};
let alone: string;

beforeAll(async () => {
  alone = mkdtempSync(join(tmpdir(), 'coxswain-alone-'));
});
afterAll(() => {
  rmSync(alone, { recursive: true, force: true });
});

/** The files of the bundle that are loaded with this one. */
function loadedWith(start: string, known: Set<string> = new Set()): ReadonlySet<string> {
  const file = bundle.files.find(({ name }) => name === start);
  if (file === undefined || known.has(start)) return known;
  known.add(start);
  for (const name of file.imports) loadedWith(name, known);
  return known;
}

/** `octokit.rest.pulls.get`, and also where a method is taken out first. */
function requestsInSource(): readonly { readonly name: string; readonly route: string }[] {
  const source = new URL('../../src/', import.meta.url);
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const text = paths.map((path) => (path.endsWith('.ts') ? readFileSync(new URL(path, source), 'utf8') : ''));
  const direct = [...text.join('\n').matchAll(/\.rest\s*\.(\w+)\s*\.(\w+)/g)];
  const taken = [...text.join('\n').matchAll(/\{ (\w+) \} = \w+\.rest\.(\w+);/g)];
  const names = new Set([
    ...direct.map(([, scope, method]) => `${scope}.${method}`),
    ...taken.map(([, method, scope]) => `${scope}.${method}`),
  ]);
  const { rest } = new Octokit();
  return [...names].map((name) => {
    const [scope = '', method = ''] = name.split('.');
    const { endpoint } = Object(Object(rest)[scope])[method];
    return { name, route: endpoint.DEFAULTS.url };
  });
}

describe('the bundle', () => {
  test("imports only its own files and Node's modules", () => {
    const names = bundle.files.map(({ name }) => name);
    expect(names).toContain('index.js');
    expect(readdirSync(folder).sort()).toEqual([...names].sort());
    const imports = bundle.files.flatMap((file) => [...file.imports, ...file.laterImports]);
    expect(imports.filter((from) => !isBuiltin(from) && !names.includes(from))).toEqual([]);
    const required = names.flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return [...text.matchAll(/\brequire\(\s*["'`]([^"'`]+)["'`]\s*\)/g)].map(([, from = '']) => from);
    });
    expect(required.filter((name) => !isBuiltin(name))).toEqual([]);
  });

  test('reads little for an event that concerns no run', () => {
    expect(sizeOf(loadedWith('index.js'))).toBeLessThan(ceilings.bundle.idle);
  });

  test('is read without the part for agents by a job that works on no attempt', () => {
    const read = new Set([...loadedWith('index.js'), ...loadedWith('run-action.js')]);
    expect(sizeOf(read)).toBeLessThan(ceilings.bundle.reading);
    // What only somebody says who speaks with an agent.
    const agents = /session\/prompt/;
    const withAgents = bundle.files.filter(({ name }) =>
      agents.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(withAgents.map(({ name }) => name).filter((name) => read.has(name))).toEqual([]);
    expect(withAgents.length).toBeGreaterThan(0);
  });

  test('stays below its ceiling altogether: every job downloads it', () => {
    expect(sizeOf(bundle.files.map(({ name }) => name))).toBeLessThan(ceilings.bundle.all);
  });

  test('knows every request to GitHub that our source names', async () => {
    const text = bundle.files.map(({ name }) => readFileSync(join(folder, name), 'utf8')).join('\n');
    const named = requestsInSource();
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ route }) => !text.includes(route))).toEqual([]);
  });

  test('runs with nothing but its own files', async () => {
    cpSync(folder, alone, { recursive: true });
    // As in our package.json, which is beside it on GitHub.
    writeFileSync(join(alone, 'package.json'), JSON.stringify({ type: 'module' }));
    const outcome = await runStep({
      main: join(alone, 'index.js'),
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
    const ofTask = ['approval', 'threshold', 'max_steering_iterations', 'critical'];
    expect(offered).toEqual(['prompt', 'agent', 'verifiers', 'base', ...ofTask, 'run', 'command']);
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
    expect(exampleText.split('\n').length).toBeLessThanOrEqual(68);
  });
});
