import type { z } from 'zod';
import { type QuestionSettings, usualQuestions } from '../steering/shapes/question.ts';
import type { Settings } from '../steering/shapes/settings.ts';
import { agentKeys } from './schema/agent-keys.ts';
import { approval } from './schema/approval-keys.ts';
import { bases } from './schema/base-keys.ts';
import { gates } from './schema/gate-keys.ts';
import { limits } from './schema/limit-keys.ts';
import { network } from './schema/network-keys.ts';
import { registries } from './schema/registry-keys.ts';
import { hostKeys, labels, notify, permissions, runKeys } from './schema/run-keys.ts';
import { ifAny, key, mapping, settled, version } from './schema/schema-forms.ts';
import { stageKeys } from './schema/stage-keys.ts';
import { verifierKeys } from './schema/verifier-keys.ts';

/** The path of the configuration in a repository. Always read from the default branch. */
export const configPath = '.github/coxswain.yml';

/** Every key, in the order in which people are told of them. */
export const configKeys = {
  version: version(),
  ...agentKeys,
  ...stageKeys,
  ...verifierKeys,
  approval,
  ...runKeys,
  limits,
  permissions,
  gates,
  labels,
  bases,
  ...hostKeys,
  network,
  registries,
  notify,
};

/**
 * What the file alone says of a run's settings, and what is looked up when its agents, the operator's defaults
 * and the base of a run are known, too. Messages say what was expected; `problems.ts` adds the actual value,
 * the line and an example.
 */
export const configSchema = key(mapping(configKeys, 'a mapping of keys, beginning with `version: 1`'), {
  title: 'Coxswain',
  description: `How Coxswain works in this repository: ${configPath}, read from the default branch, for pull requests into any branch.`,
  examples: [{ version: 1 }],
}).transform(fromFile);

function fromFile(read: z.output<z.ZodObject<typeof configKeys>>) {
  const { version: _, agent, agents, stages, pipelines, review, bases, ...others } = settled(read);
  const {
    verifiers,
    steering: { ask_level, ...steering },
    questions,
    approval,
    limits: { open_runs, diff_lines, ...limits },
    others: pulls,
    other_bots,
    ...rest
  } = others;
  const { approve_stages, ...approving } = approval;
  return {
    settings: {
      ...rest,
      ...verifiers,
      approval: approving,
      limits,
      ...settled({ open_runs, diff_lines }),
      steering,
      ...unusual(questions, ask_level),
      ...settled({ profiles: ifAny(Object.keys(agents)) }),
    },
    agent,
    agents,
    stages,
    pipelines,
    review,
    approve_stages,
    bases,
    others: { pass: pulls === 'pass', bots: other_bots },
  };
}

/** Absent where they are as usual. */
function unusual(
  { ask_level, ...read }: Omit<QuestionSettings, 'ask_level'> & { readonly ask_level?: number },
  ofSteering: number = usualQuestions.ask_level,
): Pick<Settings, 'questions'> {
  // In the order of those with which they are compared.
  const { enabled, timeout_s, on_timeout } = read;
  const questions = { enabled, ask_level: ask_level ?? ofSteering, timeout_s, on_timeout };
  return JSON.stringify(questions) === JSON.stringify(usualQuestions) ? {} : { questions };
}

export type FromFile = z.output<typeof configSchema>;

/** A complete, working configuration, shown where a repository has none or a broken one. */
export function minimalConfig(): string {
  return `version: 1
agent: claude              # or codex, opencode, gemini, … or any program: docs/agents.md
setup: [npm ci]            # before the agent and before the verifiers
verifiers:
  - { name: test, run: npm test }
`;
}
