import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import type { SchemaNode } from '../../src/config/json-schema.ts';
import { minimalConfig } from '../../src/config/minimal.ts';
import { readConfig } from '../../src/config/read.ts';
import { configurationReference } from '../../src/config/reference.ts';
import { publishedSchema } from '../../src/config/schema.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };
const example = readFileSync('examples/coxswain-config.yml', 'utf8');
const accepts = new Ajv({ strict: false }).compile(publishedSchema);

test('the published JSON Schema matches the one that is used', async () => {
  const text = `${JSON.stringify(publishedSchema, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../schema/coxswain.schema.json');
});

test('the reference matches the schema', async () => {
  await expect(configurationReference()).toMatchFileSnapshot('../../docs/configuration.md');
});

test('the commented example is a configuration, and shows every key with its default', () => {
  const reading = readConfig(example, where);
  const plain = readConfig(minimalConfig(), where);
  if (reading.outcome === 'misconfigured' || plain.outcome === 'misconfigured') throw new Error('not read');
  const { digest: _, setup, verifiers, ...rest } = reading.settings;
  expect(plain.settings).toMatchObject(rest);
  expect(setup).toEqual(['npm ci']);
  expect(verifiers).toHaveLength(2);
  expect(Object.keys(load(example) as object).sort()).toEqual(
    Object.entries(publishedSchema.properties ?? {})
      .filter(([, node]) => !node.description?.includes('not available'))
      .map(([name]) => name)
      .sort(),
  );
});

test.each([
  [minimalConfig(), true],
  [example, true],
  ['version: 1', true],
  ['version: 1\nagent: { use: scripted, script: a, timeout: 10m }\nstages: [implement]', true],
  ['version: 2', false],
  ['{}', false],
  ['version: 1\nverifier: []', false],
  ['version: 1\nreview: { agent: claude }', false],
  ['version: 1\napproval: { by: [read] }', false],
  ['version: 1\nsandbox: maybe', false],
  ['version: 1\nbases: [{ branches: release/*, check: release, approval: { required: 2 } }]', true],
  ['version: 1\nbases: [{ branches: [a, b], per_branch: true }]', true],
  ['version: 1\nbases: [{ branches: a, check: Release }]', false],
  ['version: 1\nbases: [{ branches: a, check: a, setup: [] }]', false],
  ["version: 1\nothers: pass\nother_bots: ['dependabot[bot]']\nci: after_look", true],
])('an editor and Coxswain agree on %j', (text, valid) => {
  const operator = { defaults: { agent: { use: 'scripted', script: 'a', timeout_s: 60 } } } as const;
  expect(accepts(load(text))).toBe(valid);
  expect(readConfig(text, where, operator).outcome).toBe(valid ? 'configured' : 'misconfigured');
});

test('every key has a description, and every available key has an example', () => {
  for (const [path, node] of keysOf(publishedSchema)) {
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
  const nested = [...(node.oneOf ?? []), ...items].flatMap((child) =>
    Object.keys(child).length === 0 ? [] : keysOf(child as SchemaNode, path),
  );
  return [...below, ...nested];
}
