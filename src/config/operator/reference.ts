import { keyTables } from '../key-tables.ts';
import { publishedOperatorSchema } from './schema.ts';

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
