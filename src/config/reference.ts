import { keyTables } from './key-tables.ts';
import { minimalConfig } from './minimal.ts';
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
