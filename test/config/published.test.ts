import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { operatorOf, withDefaults } from '../../src/app/environment/app-settings.ts';
import { operatorSchema } from '../../src/config/operator/operator-schema.ts';
import { readOperatorFile } from '../../src/config/operator/read-operator-file.ts';
import { readConfig } from '../../src/config/read.ts';
import { type Path, pathText, problemText } from '../../src/config/schema/config-problem.ts';
import { jsonSchemaOf, keysAt, type SchemaNode, valueAt } from '../../src/config/schema/document.ts';
import { configSchema, minimalConfig } from '../../src/config/schema.ts';
import { operatorExample, variablesOfExample } from './operator-example.ts';
import { entryOf, withReference } from './reference.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };
const example = readFileSync('examples/coxswain-config.yml', 'utf8');
const ofTheApp = withDefaults({ appId: 1, privateKey: '', ledgerKey: '' });
const publishedSchema = jsonSchemaOf(configSchema);
const publishedOperatorSchema = jsonSchemaOf(operatorSchema);
const accepts = new Ajv({ strict: false }).compile(publishedSchema);

test('the published JSON Schema matches the one that is used', async () => {
  const text = `${JSON.stringify(publishedSchema, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../schema/coxswain.schema.json');
});

test('the reference matches the schema', async () => {
  const page = readFileSync('docs/configuration.md', 'utf8');
  expect(page).toContain(minimalConfig());
  await expect(withReference(page, publishedSchema)).toMatchFileSnapshot('../../docs/configuration.md');
});

test("the operator's JSON Schema and reference match the schema", async () => {
  const text = `${JSON.stringify(publishedOperatorSchema, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../schema/coxswain-operator.schema.json');
  const page = readFileSync('docs/operator.md', 'utf8');
  await expect(withReference(page, publishedOperatorSchema)).toMatchFileSnapshot('../../docs/operator.md');
});

test("the operator's commented example shows every key, and an editor accepts it", () => {
  const document = load(operatorExample);
  expect(new Ajv({ strict: false }).compile(publishedOperatorSchema)(document)).toBe(true);
  expect(unwrittenKeys(operatorSchema, document)).toEqual([]);
});

test("what the operator's example installs may also be used", () => {
  const reading = readOperatorFile(operatorExample, variablesOfExample);
  if (reading.outcome === 'invalid') throw new Error(reading.problems.map(problemText).join('\n'));
  const { bounds, install } = reading.file;
  expect(bounds.agents).toEqual(expect.arrayContaining(install as string[]));
});

test('the commented example is a configuration, and shows every key with its default', () => {
  const reading = readConfig(example, where);
  const plain = readConfig(minimalConfig(), where);
  if (reading.outcome === 'misconfigured' || plain.outcome === 'misconfigured') throw new Error('not read');
  const { digest: _, setup, verifiers, sandbox, ...rest } = reading.settings;
  expect(plain.settings).toMatchObject(rest);
  // What an App allows unless its operator says less; copied as it is, the example is accepted everywhere.
  expect(sandbox).toBe('required');
  expect(readConfig(example, where, operatorOf(ofTheApp)).outcome).toBe('configured');
  expect(setup).toEqual(plain.settings.setup);
  expect(verifiers).toHaveLength(2);
  expect(Object.keys(load(example) as object).sort()).toEqual(
    Object.keys(publishedSchema.properties ?? {}).sort(),
  );
});

test('the commented example names every key of the approval and of the gates, be it commented out', () => {
  const keys = (['approval', 'gates', 'permissions'] as const).flatMap((name) =>
    Object.keys(publishedSchema.properties?.[name]?.properties ?? {}),
  );
  expect(keys).toContain('on_timeout');
  expect(keys.filter((key) => !new RegExp(`^  (?:# )?${key}:`, 'm').test(example))).toEqual([]);
});

test.each([
  [minimalConfig(), true],
  [example, true],
  ['version: 1', true],
  ['version: 1\nagent: { use: scripted, script: a, timeout: 10m }\nstages: [implement]', true],
  ['version: 2', false],
  ['{}', false],
  ['version: 1\nverifier: []', false],
  ['version: 1\nreview: { agents: claude }', false],
  [
    'version: 1\nreview: claude\nstages: [{ name: plan, check: none, instructions: Be brief. }, implement]',
    true,
  ],
  ['version: 1\nstages: plan-first', true],
  ['version: 1\napproval: { by: [read] }', false],
  ['version: 1\nsandbox: maybe', false],
  ['version: 1\nbases: [{ branches: release/*, check: release, approval: { required: 2 } }]', true],
  ['version: 1\nbases: [{ branches: [a, b], per_branch: true }]', true],
  ['version: 1\nbases: [{ branches: a, check: Release }]', false],
  ['version: 1\nbases: [{ branches: a, check: a, setup: [] }]', false],
  ["version: 1\nothers: pass\nother_bots: ['dependabot[bot]']\nci: after_look", true],
  ['version: 1\nnetwork: none', true],
  ['version: 1\nnetwork: [registries, a.example.com]', true],
  ['version: 1\nnetwork: model', false],
  ['version: 1\nnetwork: { agent: [model, "*.example.org:8443"], verifiers: host }', true],
  ['version: 1\nnetwork: { setup: host }', false],
  ['version: 1\nnetwork: { verifiers: 127.0.0.1 }', false],
  ['version: 1\nnetwork: { verifiers: localhost }', false],
  ['version: 1\nnetwork: { agent: api.openai.com }', false],
  ['version: 1\nnetwork: { agents: none }', false],
  ['version: 1\nregistries: [{ host: npm.example.com, kind: npm, token_env: NPM_TOKEN }]', true],
  ['version: 1\nlimits: { tokens: 1000000, cost_usd: 2.5 }', true],
  ['version: 1\nnotify: [builds, { to: releases, events: [run_finished] }]', true],
  ['version: 1\nnotify: [{ to: builds, url: "https://hooks.example.org/" }]', false],
  ['version: 1\nnotify: [{ to: builds, events: [finished] }]', false],
])('an editor and Coxswain agree on %j', (text, valid) => {
  const operator = { defaults: { agent: { use: 'scripted', script: 'a', timeout_s: 60 } } } as const;
  expect(accepts(load(text))).toBe(valid);
  expect(readConfig(text, where, operator).outcome).toBe(valid ? 'configured' : 'misconfigured');
});

test('every key has a description, and every key that may be written has an example', () => {
  for (const [path, node] of [...keysOf(publishedSchema), ...keysOf(publishedOperatorSchema)]) {
    expect(node.description, path).toMatch(/\.$/);
    if (node.not === undefined) expect(node.examples, path).toBeDefined();
  }
});

function keysOf(node: SchemaNode, path = ''): [string, SchemaNode][] {
  const below = Object.entries(node.properties ?? {}).flatMap(([name, child]) => [
    [`${path}.${name}`, child] as [string, SchemaNode],
    ...keysOf(child, `${path}.${name}`),
  ]);
  const items = Array.isArray(node.items) ? node.items : [node.items ?? {}];
  const nested = [...(node.oneOf ?? []), ...items, entryOf(node) ?? {}].flatMap((child) =>
    Object.keys(child).length === 0 ? [] : keysOf(child as SchemaNode, path),
  );
  return [...below, ...nested];
}

/** The keys that a document has nowhere; the entries of a list have them together. */
function unwrittenKeys(schema: z.ZodType, document: unknown): readonly string[] {
  const known = knownKeys(schema, document).map((path) => [pathText(path), valueAt(document, path)] as const);
  const shown = known.map(([path, value]) => [path.replaceAll(/\[\d+\]/g, '[]'), value] as const);
  const written = shown.filter(([, value]) => value !== undefined).map(([path]) => path);
  return [...new Set(shown.map(([path]) => path))].filter((path) => !written.includes(path));
}

/** Every key that a document may have, as far as those around it are written. */
function knownKeys(schema: z.ZodType, document: unknown, path: Path = []): readonly Path[] {
  const value = valueAt(document, path);
  if (Array.isArray(value)) return value.flatMap((_, index) => knownKeys(schema, document, [...path, index]));
  return keysAt(schema, document, path).flatMap(([key]) => [
    [...path, key],
    ...knownKeys(schema, document, [...path, key]),
  ]);
}
