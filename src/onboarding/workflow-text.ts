import type { NeededProgram } from './ecosystems/findings.ts';

export interface WantedWorkflow {
  /** `examples/claude.yml`, which is the source. */
  readonly example: string;
  /** As its makers write it. */
  readonly agentTitle: string;
  /** The variable of the key of its model, which is also the name of the secret; none if it needs no key. */
  readonly key: string | undefined;
  /** `owner/name@ref` */
  readonly action: string;
  readonly needs: readonly NeededProgram[];
}

const inputs = /^ {8}with: \{.*\n/m;
const environment = /^ {8}env: \{ ANTHROPIC_API_KEY: .*\n/m;
const uses = /^ {6}- uses: (\S+)\n/m;

/** What the example names in place of a release. */
export const placeholder = 'your-name/coxswain@v0';

/** The workflow for a repository that has a configuration: the example, without the inputs in its place. */
export function workflowText({ example, agentTitle, key, action, needs }: WantedWorkflow): string {
  for (const part of [inputs, environment, uses])
    if (!part.test(example)) throw new Error(`the example of a workflow has no line like ${part}`);
  const [, ...rest] = example.split('\n');
  const steps = needs.map(({ install }) => `      - run: ${install}\n`).join('');
  const secret = key === undefined ? '' : `        env: { ${key}: '\${{ secrets.${key} }}' }\n`;
  const head = `# Coxswain with ${agentTitle}. What it may do, and what judges its work, is in .github/coxswain.yml.\n`;
  return (head + rest.join('\n'))
    .replace(inputs, '')
    .replace(environment, () => secret)
    .replace(uses, () => `${steps}      - uses: ${action}\n`);
}

/** The first line of a workflow that still names no release, counted from 1; undefined if each names one. */
export function placeholderLine(workflow: string): number | undefined {
  const index = workflow.split('\n').findIndex((line) => line.includes(placeholder));
  return index < 0 ? undefined : index + 1;
}
