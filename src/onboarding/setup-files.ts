import type { Findings, FoundCommand, FoundVerifier, NeededProgram } from './ecosystems/ecosystem.ts';

/**
 * Writes a configuration for a repository: short, and with the reason for each line. `agent` is a value of
 * that key; undefined where the operator of the App has chosen one.
 */
export function configurationText(findings: Findings, agent: string | undefined): string {
  return [
    '# Coxswain: which agent works on this repository, and what judges its work.',
    '# This file counts on the default branch only; `coxswain check` tells what is wrong with it.',
    'version: 1',
    '',
    ...agentLines(agent),
    '',
    ...stageLines,
    '',
    ...setupLines(findings.setup),
    '',
    ...verifierLines(findings.verifiers),
    '',
  ].join('\n');
}

function agentLines(agent: string | undefined): readonly string[] {
  if (agent === undefined) return ['# The agent is the one that the operator of this App has chosen.'];
  return [`agent: ${agent}`];
}

/** Commented, because they cost more, and a repository is to see the usual way first. */
const stageLines = [
  '# By default an agent sets to work at once. With plan-first, people approve its plan before the work begins;',
  '# with reviewed, an agent in a session of its own reads what was done. To have one, remove the #.',
  '#stages: plan-first',
];

function setupLines(setup: readonly FoundCommand[]): readonly string[] {
  if (setup.length === 0)
    return ['# Commands to run before the agent and before the verifiers.', 'setup: []'];
  return [
    '# They run before the agent and before the verifiers, and reach the public registries of packages.',
    'setup:',
    ...aligned(setup.map(({ run, from }) => ({ text: `  - ${scalar(run)}`, from }))),
  ];
}

function verifierLines(verifiers: readonly FoundVerifier[]): readonly string[] {
  if (verifiers.length === 0)
    return [
      '# Commands whose exit codes say whether the work is right. None was found here: until there is one,',
      '# only people judge the work, and its confidence stays at 0.79 or below.',
      '# To add one, remove the brackets and the # below them.',
      'verifiers: []',
      '#  - { name: test, run: make test }',
    ];
  return [
    '# Their exit codes say whether the work is right. They run without network, in a clean checkout after the',
    '# agent, and each of them should already pass on the default branch.',
    'verifiers:',
    ...aligned(
      verifiers.map(({ name, run, from }) => ({ text: `  - { name: ${name}, run: ${scalar(run)} }`, from })),
    ),
  ];
}

/** Where the comments begin at most; a longer line has its own two spaces away. */
const widest = 60;

function aligned(lines: readonly { readonly text: string; readonly from: string }[]): readonly string[] {
  const width = Math.min(widest, Math.max(...lines.map(({ text }) => text.length)));
  return lines.map(({ text, from }) => `${text.padEnd(width)}  # ${oneLine(from)}`);
}

/** Names of files and scripts are chosen by people. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

/** A string in YAML that is also right between braces; JSON is YAML. */
function scalar(text: string): string {
  const isPlain =
    /^[A-Za-z.][\w ./@=+&*-]*$/.test(text) &&
    !/\s$/.test(text) &&
    !/^(?:true|false|null|yes|no)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

interface WantedWorkflow {
  /** The text of `examples/claude.yml`, which is the source. */
  readonly example: string;
  /** How the makers of the agent write its name. */
  readonly agentTitle: string;
  /** The variable of the key of its model, which is also the name of the secret; none if it needs no key. */
  readonly key: string | undefined;
  /** The release that it uses, as `owner/name@ref`. */
  readonly action: string;
  readonly needs: readonly NeededProgram[];
}

const inputs = /^ {8}with: \{.*\n/m;
const environment = /^ {8}env: \{ ANTHROPIC_API_KEY: .*\n/m;
const uses = /^ {6}- uses: (\S+)\n/m;

/** The example names it in place of a release. */
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

/** Where a workflow first names no release yet, as a line counted from 1; undefined if it names one. */
export function placeholderLine(workflow: string): number | undefined {
  const index = workflow.split('\n').findIndex((line) => line.includes(placeholder));
  return index < 0 ? undefined : index + 1;
}
