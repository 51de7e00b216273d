import { valueAt } from '../config/schema/document.ts';
import { configSchema } from '../config/schema.ts';
import { limitNames, reviewLimits } from '../steering/shapes/limits.ts';
import { usualQuestions } from '../steering/shapes/question.ts';
import type { Approver, Settings } from '../steering/shapes/settings.ts';
import type { State } from '../steering/state/state.ts';
import { policyText } from './parts/approval-texts.ts';
import { command, commit, supersededText } from './parts/common-phrases.ts';
import { breakdown, confidenceLine } from './parts/confidence.ts';
import { failedTestsText } from './parts/evidence-texts.ts';
import { gatesText } from './parts/risk.ts';
import { code, paragraphs, said, under } from './parts/sanitize.ts';
import { type FlakyBefore, flakiestText } from './parts/tests.ts';
import { missingText } from './phases/index.ts';

/**
 * The reply to `/why`: what is missing for the next step, which verifiers are flaky, how the confidence score
 * came about, and where settings come from. `web` is the address of the repository.
 */
export function whyText(state: State, web: string, before?: FlakyBefore): string {
  const { shown } = state;
  const first = missingText(state);
  const flaky = flakiestText(state, before);
  if (shown === null) {
    return paragraphs([
      first,
      `There is no confidence score yet because ${commit(state.head)} has not been verified. ` +
        `${command('status')} shows where the run stands.`,
      flaky,
      originsText(state),
    ]);
  }
  const gates = gatesText(shown, { state, web });
  const tests = failedTestsText(shown);
  const evidence = [
    supersededText(state),
    tests,
    flaky,
    confidenceLine(state),
    breakdown(state, shown),
    gates,
  ];
  return paragraphs([first, ...evidence, policyText(state), originsText(state)]);
}

type Value = string | number | true | undefined;

/** A task can tighten these, by the key under which it would. */
const tightened: Readonly<Record<string, (settings: Settings) => Value>> = {
  critical: ({ critical }) => critical,
  'approval.mode': ({ approval }) => approval.mode,
  'approval.threshold': ({ approval }) => approval.threshold,
  'approval.required': ({ approval }) => approval.required,
  'approval.by': ({ approval }) => approval.by.map(approverName).join(', '),
  'approval.protected_paths': ({ approval }) =>
    approval.protected_paths?.flatMap(({ paths }) => paths).join(', '),
  max_steering_iterations: ({ steering }) => steering.max_iterations,
  ask_level: ({ questions = usualQuestions }) => questions.ask_level,
  'questions.on_timeout': ({ questions = usualQuestions }) => questions.on_timeout,
  ...Object.fromEntries(limitNames.map((name) => [`limits.${name}`, ({ limits }) => limits[name]])),
  ...Object.fromEntries(reviewLimits.map((name) => [`limits.${name}`, (settings) => settings[name]])),
};

/** Says where the settings come from that a task could tighten, without those that are the defaults. */
function originsText(state: State): string {
  const { settings, task } = state;
  const usual = usualFor(settings);
  const changed = Object.entries(tightened).flatMap(([key, of]) => {
    const value = of(settings);
    return value === undefined || value === of(usual) ? [] : [{ key, value }];
  });
  const isOfTask = ({ key }: { readonly key: string }) => isTasks(key, state);
  const ofTask = [
    ...(isTasks('agent', state) ? [{ key: 'agent', value: settings.agent.use }] : []),
    ...addedVerifiers(state),
    ...changed.filter(isOfTask),
  ];
  const isChosen = settings.profiles?.includes(task.worker_profile) && !isTasks('agent', state);
  const lines = said([
    listed('from the task', ofTask),
    isChosen &&
      listed(`from the worker profile ${code(task.worker_profile)}`, [
        { key: 'agent', value: settings.agent.use },
      ]),
    listed(
      'from the configuration',
      changed.filter((each) => !isOfTask(each)),
    ),
  ]);
  return under('**Settings** that differ from the defaults:', lines);
}

interface Named {
  readonly key: string;
  readonly value: Exclude<Value, undefined>;
}

function listed(origin: string, settings: readonly Named[]): string {
  const texts = settings.map(({ key, value }) => code(value === true ? key : `${key}: ${value}`));
  return texts.length === 0 ? '' : `- ${origin}: ${texts.join(', ')}`;
}

function isTasks(key: string, { overrides = {}, settings }: State): boolean {
  return valueAt(overrides, key.split('.')) !== undefined && !isIgnored(key, settings);
}

/** What no longer fits the configuration is named by its key. */
function isIgnored(key: string, { ignored = [] }: Settings): boolean {
  return ignored.some((problem) => problem.startsWith(key));
}

function addedVerifiers({ overrides = {}, settings }: State): readonly Named[] {
  const written = Array.isArray(overrides['verifiers']) ? overrides['verifiers'] : [];
  const added = written.filter((_, index) => !isIgnored(`verifiers[${index}]`, settings));
  return added.length === 0 ? [] : [{ key: 'verifiers', value: added.map(({ name }) => name).join(', ') }];
}

function approverName(one: Approver): string {
  if ('role' in one) return one.role;
  if ('login' in one) return `@${one.login}`;
  return 'team' in one ? `@${one.team}` : 'codeowners';
}

function usualFor({ agent, digest, check }: Settings): Settings {
  return { ...configSchema.parse({ version: 1 }).settings, agent, digest, check };
}
