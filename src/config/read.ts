import { createHash } from 'node:crypto';
import { profileNames } from '../profiles/index.ts';
import { callRuleNames, gateRuleNames } from '../steering/shapes/gate-rules.ts';
import type {
  AgentChoice,
  ApprovalSettings,
  NetworkSettings,
  OwnRule,
  SandboxMode,
  Settings,
} from '../steering/shapes/settings.ts';
import { matchesBranch } from '../text/globs.ts';
import { neverAsked, neverCounted, profileProblems, profilesFrom } from './agent-choices.ts';
import { plainCheck } from './check-names.ts';
import { stageProblems, stagesFrom } from './pipelines.ts';
import { beyond, checkAll, exampleOf, isAmong, problemAt, type Reading } from './problems.ts';
import type { Path, Problem } from './schema/config-problem.ts';
import { isMapping, valueAt, withLongForms } from './schema/document.ts';
import { type Bounds, uses, within } from './schema/operator-bounds.ts';
import { labels } from './schema/run-keys.ts';
import { durationText } from './schema/schema-forms.ts';
import { orMeant } from './schema/suggestion.ts';
import { configPath, configSchema, type FromFile, minimalConfig } from './schema.ts';
import { type Configuration, neverApproved } from './settings-by-base.ts';
import { linesIn, parseYaml } from './yaml.ts';

/** It says where the configuration was read: usually `.github/coxswain.yml` on the default branch. */
interface RepositoryRef {
  readonly path: string;
  /** The default branch, the only one whose configuration counts. */
  readonly ref: string;
  /** There is no such file: what the workflow says under `with` was written as YAML by ourselves. */
  readonly inputs?: true;
}

/** The App's operator, or the inputs of the Action, set these for every repository. */
export interface Operator {
  /** They count for repositories that do not write these keys. */
  readonly defaults?: {
    readonly agent?: AgentChoice;
    readonly sandbox?: SandboxMode;
    readonly network?: Partial<NetworkSettings>;
  };
  readonly bounds?: Bounds;
}

export type ConfigReading = Configured | Misconfigured;

export interface Configured extends Configuration {
  readonly outcome: 'configured';
  readonly where: RepositoryRef;
}

export interface Misconfigured {
  readonly outcome: 'misconfigured';
  readonly where: RepositoryRef;
  /** The file does not exist; the reply shows `minimalConfig()`. */
  readonly missing: boolean;
  /** The operator lets no run work on the repository, whatever the file says. */
  readonly outside?: true;
  /** It is never empty, and has all problems at once. */
  readonly problems: readonly Problem[];
}

/**
 * Reads and checks a repository's configuration. Never throws for what people write in the file.
 * `text` is undefined when the repository has no such file.
 */
export function readConfig(
  text: string | undefined,
  where: RepositoryRef,
  operator: Operator = {},
): ConfigReading {
  if (text === undefined) return missing(where);
  const parsed = parseYaml(text, minimalConfig());
  if (parsed.outcome === 'unreadable') return misconfigured(where, [parsed.problem]);

  const document = withLongForms(configSchema, parsed.document);
  const lineOf = where.inputs ? () => undefined : linesIn(text);
  const reading = { document, schema: configSchema, lineOf };
  const checked = checkAll(reading);
  const agent = checked.data?.agent ?? operator.defaults?.agent;
  const unchosen =
    agent === undefined && isUnwritten(reading, 'agent') ? [agentMissing(reading, operator)] : [];
  const problems = [...checked.problems, ...unchosen];
  if (checked.data === undefined || agent === undefined) return misconfigured(where, problems);
  const { bases, others, settings: own } = checked.data;
  const file = where.path === configPath ? {} : { file: where.path };
  const known = { digest: digestOf(text), check: plainCheck, agent, ...file };
  // Here the compiler compares what the schema reads with what decisions need.
  const usual: Settings = { ...own, ...known, ...defaultsFor(own, operator, reading) };
  const profiles = profilesFrom(checked.data, usual.agent);
  const agents = { profiles, usual: usual.agent };
  const settings = { ...usual, ...stagesFrom(checked.data, agents) };
  const configuration = { settings, bases, others, profiles };
  const bounds = operator.bounds ?? {};
  const isRead = (part: string) => !checked.mended.some(([key]) => key === part);
  const together = [
    ...defaultBranchListed(checked.data, where.ref, reading),
    ...(isRead('approval') ? neverApproved(configuration, reading) : []),
    ...(isRead('approval') && isRead('steering') ? neverProceeds(configuration, reading) : []),
    ...twoAskLevels(reading),
    ...(isRead('gates') ? neverMatching(settings, reading) : []),
    ...(isRead('agent') ? neverAsked(reading, settings.agent) : []),
    ...(isRead('agent') ? neverCounted(reading, settings.agent) : []),
    ...(isRead('agents') ? profileProblems(profiles, settings, reading) : []),
    ...stageProblems(checked.data, settings, { ...agents, bounds, reading }),
    ...beyond(reading, { bounds, settings }, checked.mended),
  ];
  problems.push(...together.filter(({ path }) => !isAmong(path, checked.mended)));
  if (problems.length > 0) return misconfigured(where, problems);
  return {
    outcome: 'configured',
    where,
    ...configuration,
    settings: within(bounds, settings),
  };
}

/** Says what the operator chooses where the repository writes nothing. */
function defaultsFor(
  own: Pick<Settings, 'network'>,
  { defaults = {} }: Operator,
  reading: Reading,
): Partial<Settings> {
  const { sandbox } = defaults;
  const unset = uses.filter((use) => valueAt(reading.document, ['network', use]) === undefined);
  const pairs = unset.map((use) => [use, defaults.network?.[use] ?? own.network[use]] as const);
  const network = { ...own.network, ...Object.fromEntries(pairs) };
  return { network, ...(sandbox !== undefined && isUnwritten(reading, 'sandbox') && { sandbox }) };
}

/** The default branch has the settings at the top and the check without a name, so no entry may have it. */
function defaultBranchListed({ bases }: FromFile, branch: string, reading: Reading): readonly Problem[] {
  return bases.flatMap(({ globs }, index) => {
    if (!globs.some((glob) => matchesBranch(glob, branch))) return [];
    const expected = `branches other than ${branch}, the default branch, which has the settings at the top`;
    return [problemAt(['bases', index, 'branches'], expected, reading)];
  });
}

function missing(where: RepositoryRef): Misconfigured {
  const expected = `a file ${where.path} at ${where.ref}`;
  const problem = { path: '', expected, received: 'nothing', example: minimalConfig() };
  return { outcome: 'misconfigured', where, missing: true, problems: [problem] };
}

function misconfigured(where: RepositoryRef, problems: readonly Problem[]): Misconfigured {
  return { outcome: 'misconfigured', where, missing: false, problems };
}

function isUnwritten({ document }: Reading, key: string): boolean {
  return isMapping(document) && !(key in document);
}

function agentMissing(reading: Reading, { bounds }: Operator): Problem {
  const expected = 'an agent: none is configured here, and the operator has set no default';
  const use = profileNames.find((name) => bounds?.agents?.includes(name) ?? true);
  return { ...problemAt(['agent'], expected, reading), ...(use && { example: exampleOf(['agent'], use) }) };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Rules that are named under `permissions.rules`, but can never match a tool call. */
function neverMatching({ gates }: Settings, reading: Reading): readonly Problem[] {
  const written = valueAt(reading.document, ['permissions', 'rules']);
  if (typeof written !== 'object' || written === null) return [];
  const rules = gates?.rules ?? [];
  const own = rules.filter(({ command }) => command !== undefined).map(({ name }) => name);
  const known: readonly string[] = [...callRuleNames, ...own];
  return Object.keys(written)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const problem = problemAt(['permissions', 'rules', name], expectedFor(name, rules, known), reading);
      return { ...problem, received: `the rule ${JSON.stringify(name)}` };
    });
}

function expectedFor(name: string, rules: readonly OwnRule[], known: readonly string[]): string {
  if (rules.some((rule) => rule.name === name))
    return `a rule with a \`command\`: ${name} reads changed files, which agents need not ask about`;
  if (gateRuleNames.some((rule) => rule === name))
    return `a rule on tool calls: ${name} judges the whole change, when the agent has finished`;
  return orMeant(name, known, `one of ${known.join(', ')}, or a rule with a \`command\` under gates.rules`);
}

/** Both keys mean the same. */
function twoAskLevels(reading: Reading): readonly Problem[] {
  const ofSteering = valueAt(reading.document, ['steering', 'ask_level']);
  const asked = valueAt(reading.document, ['questions', 'ask_level']) ?? ofSteering;
  if (ofSteering === undefined || ofSteering === asked) return [];
  const expected = `${asked} as in questions.ask_level, which is the same setting; one of the two is enough`;
  return [problemAt(['steering', 'ask_level'], expected, reading)];
}

/** Wherever a run would time out before it goes on by itself: it never would. */
function neverProceeds({ settings, bases }: Configuration, reading: Reading): readonly Problem[] {
  const { approval, steering } = settings;
  const places: readonly (readonly [Path, ApprovalSettings])[] = [
    [['approval'], approval],
    ...bases.map((entry, at) => [['bases', at, 'approval'], { ...approval, ...entry.approval }] as const),
  ];
  return places.flatMap(([path, { mode, auto_proceed_after_s = 0 }]) => {
    const key = [...path, 'auto_proceed_after'];
    const isWritten = valueAt(reading.document, key) !== undefined;
    if (mode === 'manual' || !isWritten || auto_proceed_after_s < steering.review_timeout_s) return [];
    const limit = durationText(steering.review_timeout_s);
    return [problemAt(key, `less than steering.review_timeout (${limit}), when the run times out`, reading)];
  });
}

/**
 * The label that starts runs, as a configuration names it. Whatever else is wrong there: whoever sets the
 * label then gets an explanation.
 */
export function triggerIn(text: string): string {
  const parsed = parseYaml(text, minimalConfig());
  const document = parsed.outcome === 'parsed' ? parsed.document : undefined;
  const written = typeof document === 'object' && document !== null && 'labels' in document ? document : {};
  const read = labels.safeParse('labels' in written ? written.labels : undefined);
  return read.success ? read.data.trigger : labels.parse(undefined).trigger;
}
