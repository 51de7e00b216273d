import { dump } from 'js-yaml';
import { itemOf, type SchemaNode } from './json-schema.ts';
import { minimalConfig } from './minimal.ts';
import { publishedSchema } from './schema.ts';

/** Generates `docs/configuration.md` from the schema, so that the two cannot differ. */
export function configurationReference(): string {
  const rows = rowsOf(publishedSchema, '');
  const later = rows.filter((row) => isLater(row, rows));
  const available = rows.filter((row) => !later.includes(row));
  return `${introduction()}
## Keys

${table(available)}

## Keys of later versions

These keys are reserved: a value that needs a later version is rejected with this explanation.

${table(later)}
`;
}

interface Row {
  readonly path: string;
  readonly node: SchemaNode;
  readonly required: boolean;
}

function introduction(): string {
  return `# Configuration

<!-- Written from src/config/schema.ts by \`npx vitest run test/config/published.test.ts -u\`. -->

Coxswain reads \`.github/coxswain.yml\` from the default branch, for pull requests into any branch: never from the branch of a run, and never from its base.
A change therefore takes effect when it is merged there: the next attempt follows it, and earlier approvals are void.
Every key except \`version\` is optional.
A complete, working example:

\`\`\`yaml
${minimalConfig().trimEnd()}
\`\`\`

[\`examples/coxswain-config.yml\`](../examples/coxswain-config.yml) shows every key with its default.

Durations are a whole number and a unit: \`90s\`, \`10m\`, \`24h\`, \`2d\`.
An unknown key or a wrong value is an error.
Coxswain reports all problems at once, each with its line and an example.
The operator of an App may set bounds; a value outside them is an error that names the bound.

The check of a pull request is named for its base: \`Coxswain\` for the default branch, a name of its own for each entry of \`bases\`,
and \`Coxswain (unlisted: <branch>)\` for all others, so that an approval counts only for the branches that share a check.
An entry of \`bases\` replaces the list of verifiers as a whole, and of the approval only the keys that it has:

\`\`\`yaml
bases:
  - branches: release/*          # the check is Coxswain (release)
    check: release
    approval: { required: 2 }    # who may approve stays as for the default branch
\`\`\`

What a task brings with it, such as the inputs of a workflow, can only tighten this:
it adds verifiers under new names, asks for more approvals, a higher threshold or fewer people, lowers limits, and chooses an agent within the operator's bounds.

Editors check the file while you type if its first line names the schema,
[\`schema/coxswain.schema.json\`](../schema/coxswain.schema.json), by path or by URL:

\`\`\`yaml
# yaml-language-server: $schema=./coxswain.schema.json
\`\`\`
`;
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
  return [...rowsOf(node, path), ...distinct(branches), ...rowsOf(itemOf(node, 0) ?? {}, `${path}[]`)];
}

/** Branches of a union share keys: `agent.timeout` is one row, `agent.use` has one for each value. */
function distinct(rows: readonly Row[]): Row[] {
  return rows.filter((row, index) => {
    const first = rows.findIndex(({ path }) => path === row.path);
    return first === index || row.node.const !== rows[first]?.node.const;
  });
}

function isLater({ path, node: { description = '' } }: Row, rows: readonly Row[]): boolean {
  if (description.includes('not available in this version yet')) return true;
  return rows.some((row) => path.startsWith(`${row.path}.`) && isLater(row, rows));
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
  return example === undefined ? (node.type ?? '') : `such as ${code(example)}`;
}

function defaultOf(node: SchemaNode, required: boolean): string {
  if (required) return 'required';
  if (node.default === undefined || node.properties !== undefined) return '';
  return code(node.default);
}

function code(value: unknown): string {
  return `\`${dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd()}\``;
}
