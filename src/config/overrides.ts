import { type LimitName, limitNames } from '../steering/limits.ts';
import { type QuestionSettings, stricterOf, usualQuestions } from '../steering/questions/question.ts';
import type {
  AgentChoice,
  ProtectedPaths,
  ProtocolAgent,
  Settings,
  TaskOverrides,
} from '../steering/settings.ts';
import { expectedToAsk, expectedToCount } from './asking.ts';
import { type Bounds, beyond } from './bounds.ts';
import { defined } from './defined.ts';
import { withLongForms } from './document.ts';
import { expectedToSuffice } from './enough-approvers.ts';
import { expectedPipeline, withPipeline } from './pipelines.ts';
import { type Path, type Problem, pathText } from './problem.ts';
import { problemAt, problemsFrom, type Reading } from './problems.ts';
import { durationText } from './quantities.ts';
import { longestTimeout } from './schema/agent.ts';
import { type Overrides, overridesJsonSchema, overridesSchema } from './schema/overrides.ts';
import type { WrittenVerifier } from './schema/verifiers.ts';
import { agentFrom, approversFrom, protectedFrom, verifiersFrom } from './settings.ts';

/** The settings with everything of the task that tightens them, and what does not. */
export interface Overridden {
  readonly settings: Settings;
  /** As checked, to be applied again whenever the configuration is read again. */
  readonly overrides: TaskOverrides;
  /** One for each part that was left out, because it would loosen the settings or is invalid. */
  readonly problems: readonly Problem[];
}

/**
 * Applies what a task asks for, whoever asks: it adds verifiers under new names, raises thresholds, lowers
 * limits, and chooses an agent within the operator's bounds. It never replaces, drops or loosens anything.
 */
export function withOverrides(settings: Settings, written: unknown, bounds: Bounds = {}): Overridden {
  const reading = {
    document: withLongForms(overridesSchema, written),
    schema: overridesJsonSchema,
    lineOf: () => undefined,
  };
  const checked = overridesSchema.safeParse(reading.document);
  if (!checked.success) return { settings, overrides: {}, problems: problemsFrom(checked.error, reading) };
  let tightened = settings;
  const problems: Problem[] = [];
  for (const part of partsOf(checked.data)) {
    const objections = objectionsTo(part, tightened, { bounds, reading });
    if (objections.length === 0) tightened = part.apply(tightened);
    problems.push(...objections);
  }
  return { settings: tightened, problems, overrides: checked.data };
}

/** One setting of a task. */
interface Part {
  readonly path: Path;
  /** What would have been allowed; undefined if this is. */
  expected(settings: Settings): string | undefined;
  apply(settings: Settings): Settings;
}

function objectionsTo(
  part: Part,
  settings: Settings,
  { bounds, reading }: { readonly bounds: Bounds; readonly reading: Reading },
): readonly Problem[] {
  const expected = part.expected(settings);
  if (expected !== undefined) return [problemAt(part.path, expected, reading)];
  const own = pathText(part.path);
  return beyond(bounds, part.apply(settings), reading).filter(({ path }) => path.startsWith(own));
}

function partsOf(overrides: Overrides): readonly Part[] {
  const { agent, pipeline, verifiers: added } = overrides;
  return [
    ...(overrides.critical === undefined ? [] : [markedCritical]),
    ...(agent === undefined ? [] : agentParts(agent)),
    ...(pipeline === undefined ? [] : [choosing(pipeline)]),
    ...added.map(adding),
    ...approvalParts(overrides.approval),
    ...questionParts(overrides),
    ...limitParts(overrides),
  ];
}

/** A pipeline in which people approve at least the stages of the repository's own. */
function choosing(pipeline: string): Part {
  return {
    path: ['pipeline'],
    expected: (settings) => expectedPipeline(settings, pipeline),
    apply: (settings) => withPipeline(settings, pipeline),
  };
}

const markedCritical: Part = {
  path: ['critical'],
  expected: () => undefined,
  apply: (settings) => ({ ...settings, critical: true }),
};

function agentParts(written: NonNullable<Overrides['agent']>): readonly Part[] {
  const chosen = agentFrom({ ...written, timeout: written.timeout ?? longestTimeout });
  const choosing: Part = {
    path: ['agent'],
    expected: (settings) =>
      expectedOfTask(chosen) ??
      expectedToAsk(settings.permissions, chosen) ??
      expectedToCount(settings, chosen),
    apply: (settings) => ({ ...settings, agent: equippedAs(settings.agent, chosen) }),
  };
  return written.timeout === undefined ? [choosing] : [choosing, timing(chosen)];
}

function timing({ timeout_s }: AgentChoice): Part {
  return {
    path: ['agent', 'timeout'],
    expected: ({ agent: { timeout_s: now } }) =>
      timeout_s > now ? `at most ${durationText(now)}, the repository's own` : undefined,
    apply: (settings) => ({ ...settings, agent: { ...settings.agent, timeout_s } }),
  };
}

/** What the agent is given, and what runs besides it, is the repository's to say. */
function expectedOfTask(chosen: AgentChoice): string | undefined {
  const has = ('skills' in chosen && chosen.skills) || ('mcp' in chosen && chosen.mcp);
  return has ? 'an agent without skills and mcp, which only the configuration names' : undefined;
}

/** With the time of the repository's own; the same agent also keeps what the task does not write. */
function equippedAs(own: AgentChoice, chosen: AgentChoice): AgentChoice {
  const { timeout_s } = own;
  if (!isProtocolAgent(own) || !isProtocolAgent(chosen)) return { ...chosen, timeout_s };
  if (own.use === chosen.use) return { ...own, ...chosen, timeout_s };
  const { skills, mcp } = own;
  return { ...chosen, ...defined({ skills, mcp }), timeout_s };
}

function isProtocolAgent(agent: AgentChoice): agent is ProtocolAgent {
  return agent.use !== 'command' && agent.use !== 'scripted';
}

function adding(added: WrittenVerifier, index: number): Part {
  const isTaken = ({ name }: { readonly name: string }) => name.toLowerCase() === added.name.toLowerCase();
  return {
    path: ['verifiers', index, 'name'],
    expected: ({ verifiers: known, checks = [] }) =>
      [...known, ...checks].some(isTaken) ? 'a name that the repository does not use' : undefined,
    apply: (settings) => withVerifier(settings, added),
  };
}

/** Listed after those that are there. */
function withVerifier(settings: Settings, added: WrittenVerifier): Settings {
  const { verifiers: known, checks: more = [] } = verifiersFrom([added]);
  const placed = more.map((check) => ({ ...check, after: settings.verifiers.length }));
  const checks = [...(settings.checks ?? []), ...placed];
  const all = [...settings.verifiers, ...known];
  return { ...settings, verifiers: all, ...(checks.length > 0 && { checks }) };
}

type ApprovalKey = keyof Overrides['approval'] & keyof Settings['approval'];

function approvalParts(written: Overrides['approval']): readonly Part[] {
  const { mode: how, threshold: confidence, required: people, by, protected_paths: paths } = written;
  const who = by && approversFrom(by);
  const part = <K extends ApprovalKey>(
    key: K,
    value: Settings['approval'][K],
    expected: (now: Settings['approval'][K]) => string | undefined,
  ): Part => ({
    path: ['approval', key],
    expected: ({ approval }) =>
      expected(approval[key]) ?? expectedToSuffice(key, { ...approval, [key]: value }),
    apply: (settings) => ({ ...settings, approval: { ...settings.approval, [key]: value } }),
  });
  return [
    ...(how === undefined ? [] : [part('mode', how, (now) => weaker(how, now))]),
    ...(confidence === undefined ? [] : [part('threshold', confidence, (now) => below(confidence, now))]),
    ...(people === undefined ? [] : [part('required', people, (now) => below(people, now))]),
    ...(who === undefined ? [] : [part('by', who, (now) => wider(who, now))]),
    ...(paths === undefined ? [] : [protecting(protectedFrom(paths))]),
  ];
}

/** How much an agent asks is the task's to say; what follows when nobody answers may only be stricter. */
function questionParts({ ask_level, questions: { on_timeout } }: Overrides): readonly Part[] {
  const changing = (changed: Partial<QuestionSettings>) => (settings: Settings) => ({
    ...settings,
    questions: { ...(settings.questions ?? usualQuestions), ...changed },
  });
  return [
    ...(ask_level === undefined
      ? []
      : [{ path: ['ask_level'], expected: () => undefined, apply: changing({ ask_level }) }]),
    ...(on_timeout === undefined
      ? []
      : [
          {
            path: ['questions', 'on_timeout'],
            expected: ({ questions: { on_timeout: now } = usualQuestions }: Settings) =>
              stricterOf(now, on_timeout) === on_timeout
                ? undefined
                : `${now}, the repository's own, or stricter`,
            apply: changing({ on_timeout }),
          },
        ]),
  ];
}

/** More files whose changes somebody in particular must approve, besides those of the repository. */
function protecting(more: readonly ProtectedPaths[]): Part {
  return {
    path: ['approval', 'protected_paths'],
    expected: () => undefined,
    apply: ({ approval, ...settings }) => ({
      ...settings,
      approval: { ...approval, protected_paths: [...(approval.protected_paths ?? []), ...more] },
    }),
  };
}

function limitParts({ max_steering_iterations, limits }: Overrides): readonly Part[] {
  // 0 stands for the repository's setting.
  const max_iterations = max_steering_iterations || undefined;
  const steering: Part[] =
    max_iterations === undefined
      ? []
      : [
          {
            path: ['max_steering_iterations'],
            expected: (settings) => above(max_iterations, settings.steering.max_iterations),
            apply: (settings) => ({ ...settings, steering: { ...settings.steering, max_iterations } }),
          },
        ];
  return [...steering, ...limitNames.flatMap((key) => limiting(key, limits[key]))];
}

function limiting(key: LimitName, value: number | undefined): readonly Part[] {
  if (value === undefined) return [];
  const limit: Part = {
    path: ['limits', key],
    expected: (settings) => above(value, settings.limits[key]),
    apply: (settings) => ({ ...settings, limits: { ...settings.limits, [key]: value } }),
  };
  return [limit];
}

type Approvers = Settings['approval']['by'];

/**
 * Everyone whom the task admits must be admitted by the repository too. Code owners are asked under both or
 * under neither: without them less is needed, and with them others count.
 */
function wider(value: Approvers, now: Approvers): string | undefined {
  if (asksOwners(value) !== asksOwners(now))
    return asksOwners(now)
      ? 'codeowners, as in the repository, among others'
      : 'no codeowners, as in the repository';
  const known = generallyAdmitted(now);
  const admitted = generallyAdmitted(value).every((one) => known.some((each) => includes(each, one)));
  return admitted ? undefined : 'only some of those whom the repository admits';
}

function asksOwners(by: Approvers): boolean {
  return by.some((one) => 'codeowners' in one);
}

const weakestFirst = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

function includes(known: Approvers[number], one: Approvers[number]): boolean {
  if ('role' in known && 'role' in one)
    return weakestFirst.indexOf(one.role) >= weakestFirst.indexOf(known.role);
  return nameOf(known) === nameOf(one);
}

/** Of a permission its own, which no name of a person or a team is like. */
function nameOf(one: Approvers[number]): string {
  if ('role' in one) return one.role;
  if ('login' in one) return `@${one.login.toLowerCase()}`;
  return 'team' in one ? `@${one.team.toLowerCase()}` : 'codeowners';
}

/** Where only code owners are named, other files take write access. */
function generallyAdmitted(by: Approvers): Approvers {
  const others = by.filter((one) => !('codeowners' in one));
  return others.length === 0 ? [{ role: 'write' }] : others;
}

/** What a task would have to say instead, where a value may only be raised; undefined if it is. */
function below(value: number, now: number): string | undefined {
  return value < now ? `at least ${now}, the repository's own` : undefined;
}

/** What a task may only lower. */
function above(value: number, now = Infinity): string | undefined {
  return value > now ? `at most ${now}, the repository's own` : undefined;
}

type Mode = Settings['approval']['mode'];

/** Neither of the modes without people is always the stricter one: that depends on the threshold. */
function weaker(value: Mode, now: Mode): string | undefined {
  if (value === 'manual' || value === now) return undefined;
  return now === 'manual' ? 'manual' : `${now}, the repository's own, or manual`;
}
