import { dump } from 'js-yaml';
import { entryOf, itemOf, type SchemaNode } from './json-schema.ts';
import { minimalConfig } from './minimal.ts';
import { publishedOperatorSchema } from './operator/schema.ts';
import { publishedSchema } from './schema.ts';

/** Generates `docs/configuration.md` from the schema, so that the two cannot differ. */
export function configurationReference(): string {
  return `${introduction()}
${keyTables(publishedSchema)}`;
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

Who may approve, and what for, is said under [approval](approval.md).

A verifier is a command that Coxswain runs, or a check of your CI that it waits for ([your CI as a verifier](ci.md)).

What a task brings with it, such as the inputs of a workflow, can only tighten this:
it adds verifiers under new names, asks for more approvals, a higher threshold or fewer people, lowers limits, and chooses an agent within the operator's bounds.
It also says how much the agent is to ask (\`ask_level\`).
The agent of the file keeps what the task does not write, and no agent gets more time than that one.

Editors check the file while you type if its first line names the schema,
[\`schema/coxswain.schema.json\`](../schema/coxswain.schema.json), by path or by URL:

\`\`\`yaml
# yaml-language-server: $schema=./coxswain.schema.json
\`\`\`
`;
}

/** Generates `docs/operator.md` from the schema, so that the two cannot differ. */
export function operatorReference(): string {
  return `# The operator's file

<!-- Written from src/config/operator/schema.ts by \`npx vitest run test/config/published.test.ts -u\`. -->

Whoever runs the App decides what its repositories may ask for: in a YAML file whose path is in \`COXSWAIN_OPERATOR_FILE\`.
The App reads it when it starts, and refuses to start with a list of all its problems.
A change takes effect with the next start; \`coxswain doctor\` reads the file, too, and names the repositories that are outside of it.
The Action has no such file: there, whoever may change the workflow and the configuration decides.

[\`examples/coxswain-operator.yml\`](../examples/coxswain-operator.yml) shows every key.

A value of \`.github/coxswain.yml\` outside of these bounds is an error that names the bound.
Where a repository writes nothing, our default gives way to the bound.
Without the file, repositories may ask for everything but the network of the machine itself, the tokens of registries,
and less of a sandbox than \`COXSWAIN_SANDBOX\` allows, which is \`required\` by default.

If anybody can install your App, list your \`repositories\`: everyone else gets an error, and nothing of theirs runs on your machine.

The token of a registry is in the variable that \`token_env\` names, and goes to that host only.
No program sees it: Coxswain puts it into requests itself.

Editors check the file while you type if its first line names the schema,
[\`schema/coxswain-operator.schema.json\`](../schema/coxswain-operator.schema.json).

${keyTables(publishedOperatorSchema)}`;
}

/** All keys of a schema as tables in Markdown: those of this version, then those of later ones, if any. */
function keyTables(schema: SchemaNode): string {
  const rows = withoutRepetition(rowsOf(schema, ''));
  const later = rows.filter((row) => isLater(row, rows));
  const available = rows.filter((row) => !later.includes(row));
  return `## Keys\n\n${table(available)}\n${later.length === 0 ? '' : laterKeys(later)}`;
}

function laterKeys(rows: readonly Row[]): string {
  return `
## Keys of later versions

These keys are reserved: a value that needs a later version is rejected with this explanation.

${table(rows)}
`;
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
  return [
    ...rowsOf(node, path),
    ...distinct(branches),
    ...rowsOf(itemOf(node, 0) ?? {}, `${path}[]`),
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
