import { dump } from 'js-yaml';
import type { SchemaNode } from '../../src/config/schema/document.ts';

/** A page of the docs with all keys of a schema as its last section, so that the two cannot differ. */
export function withReference(page: string, schema: SchemaNode): string {
  return page.replace(/^## Keys\n.*/ms, () => `## Keys\n\n${table(withoutRepetition(rowsOf(schema, '')))}\n`);
}

interface Row {
  readonly path: string;
  readonly node: SchemaNode;
  readonly required: boolean;
}

function rowsOf(node: SchemaNode, path: string): Row[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const required = node.required?.includes(name) ?? false;
    return [{ path: own, node: child, required }, ...rowsBelow(child, own)];
  });
}

function rowsBelow(node: SchemaNode, path: string): Row[] {
  const branches = node.oneOf?.flatMap((branch) => rowsOf(branch, path)) ?? [];
  const entry = entryOf(node);
  const item = itemOf(node, 0);
  return [
    ...rowsOf(node, path),
    ...distinct(branches),
    ...(item === undefined ? [] : rowsBelow(item, `${path}[]`)),
    ...(entry === undefined ? [] : rowsBelow(entry, `${path}.<name>`)),
  ];
}

/** Branches of a union share keys: `agent.timeout` is one row, `agent.use` has one for each value. */
function distinct(rows: readonly Row[]): Row[] {
  const possible = rows.filter(({ path, node }) => {
    return node.not === undefined || rows.every((row) => row.path !== path || row.node.not !== undefined);
  });
  return possible.filter((row, index) => {
    const first = possible.findIndex(({ path }) => path === row.path);
    return first === index || row.node.const !== possible[first]?.node.const;
  });
}

/** What a mapping has under names of people's own is not told again where it is as elsewhere. */
function withoutRepetition(rows: readonly Row[]): Row[] {
  const isNamed = ({ path }: Row) => path.includes('.<name>.');
  const told = rows.filter((row) => !isNamed(row)).map(({ node }) => node.description);
  return rows.filter((row) => !isNamed(row) || !told.includes(row.node.description));
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ path, node, required }) => {
    const cells = [`\`${path}\``, valuesOf(node), defaultOf(node, required), node.description ?? ''];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| key | value | default | meaning |', '|---|---|---|---|', ...lines].join('\n');
}

function valuesOf(node: SchemaNode): string {
  if (node.not !== undefined) return '';
  const fixed = node.enum ?? (node.const === undefined ? undefined : [node.const]);
  if (fixed !== undefined) return fixed.map((value) => code(value)).join(', ');
  const [example] = node.examples ?? [];
  return example === undefined ? String(node.type ?? '') : `such as ${code(example)}`;
}

function defaultOf(node: SchemaNode, required: boolean): string {
  if (required) return 'required';
  if (node.default === undefined || node.properties !== undefined) return '';
  return code(node.default);
}

function code(value: unknown): string {
  return `\`${dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd()}\``;
}

/** The schema of what a mapping has under names of people's own. */
export function entryOf(node: SchemaNode | undefined): SchemaNode | undefined {
  const entry = node?.additionalProperties;
  return typeof entry === 'object' ? entry : undefined;
}

/** The schema of a list's item. */
function itemOf(node: SchemaNode | undefined, index: number): SchemaNode | undefined {
  const items = node?.items;
  // Otherwise it is a single schema for all items.
  return Array.isArray(items) ? items[index] : (items as SchemaNode | undefined);
}
