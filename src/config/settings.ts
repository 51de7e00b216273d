import type { Limits } from '../steering/limits.ts';
import { usualQuestions } from '../steering/questions/question.ts';
import type {
  AgentChoice,
  ApprovalSettings,
  Approver,
  NetworkSettings,
  OnTimeout,
  PermissionSettings,
  ProtectedPaths,
  RegistrySettings,
  Settings,
} from '../steering/settings.ts';
import { plainCheck } from './check-names.ts';
import { defined } from './defined.ts';
import { registryName } from './hosts.ts';
import { secondsOf } from './quantities.ts';
import type { WrittenProtectedPaths } from './schema/approvers.ts';
import { reachFrom } from './schema/network.ts';
import type { Written } from './schema.ts';

const defaultIterations = 5;

/** The configuration in the form that a run into the default branch uses: seconds, roles and people. */
export function settingsFrom(written: Written, agent: AgentChoice, digest: string): Settings {
  const { steering } = written;
  return {
    digest,
    check: plainCheck,
    agent,
    setup: written.setup,
    ...(written.setup_changes.length > 0 && { setup_changes: written.setup_changes }),
    ...verifiersFrom(written.verifiers),
    ...(written.verify_against === 'merge' && { verify_against: written.verify_against }),
    proof: written.proof,
    ...(written.tests.length > 0 && { tests: written.tests }),
    approval: approvalFrom(written.approval),
    steering: {
      max_iterations: steering.max_iterations || defaultIterations,
      review_timeout_s: seconds(steering.review_timeout),
      ...(steering.while_working === 'tell' && { while_working: steering.while_working }),
    },
    ...questionsFrom(written),
    ...profilesAndAsked(written),
    ...(!written.wait_for_rate_limit && { wait_for_rate_limit: false }),
    attempts: { max: written.attempts.max },
    limits: limitsFrom(written.limits),
    permissions: permissionsFrom(written.permissions),
    ...gatesFrom(written.gates),
    labels: { trigger: written.labels.trigger },
    sandbox: written.sandbox ?? 'preferred',
    ci: written.ci,
    network: networkFrom(written.network),
    ...(written.registries.length > 0 && { registries: written.registries.map(registryFrom) }),
  };
}

/** Absent where they are as usual. */
function questionsFrom({ questions, steering, answers }: Written): Pick<Settings, 'questions' | 'answers'> {
  const { enabled, timeout, on_timeout } = questions;
  const ask_level = questions.ask_level ?? steering.ask_level ?? usualQuestions.ask_level;
  // Written in the order of `usualQuestions`, with which it is compared.
  const given = { enabled, ask_level, timeout_s: seconds(timeout), on_timeout };
  return {
    ...(JSON.stringify(given) !== JSON.stringify(usualQuestions) && { questions: given }),
    ...(answers.by.join() !== 'write' && { answers: { by: approversFrom(answers.by) } }),
  };
}

/** Absent where nothing is written. */
function profilesAndAsked({ agents, interrupts: { ask } }: Written): Partial<Settings> {
  const profiles = Object.keys(agents);
  return {
    ...(profiles.length > 0 && { profiles }),
    ...(ask.length > 0 && { interrupts: { ask: ask.map((name) => name.slice(1)) } }),
  };
}

/** Absent where owners say nothing, as before. */
function gatesFrom(written: Written['gates']): Pick<Settings, 'gates'> {
  const { critical_paths, off, rules, safe_clusters } = written;
  const severity = defined(written.severity);
  const lists = [rules, off, safe_clusters, critical_paths, Object.keys(severity)];
  if (lists.every((list) => list.length === 0)) return {};
  const own = rules.map(({ command, ...rule }) => ({
    ...defined(rule),
    ...(command && { command: wordsIn(command) }),
  }));
  return { gates: { rules: own, severity, off, safe_clusters, critical_paths } };
}

function wordsIn(command: string): readonly string[] {
  return command.split(/\s+/).filter((word) => word !== '');
}

function networkFrom({ setup, agent, verifiers }: Written['network']): NetworkSettings {
  return { setup: reachFrom(setup), agent: reachFrom(agent), verifiers: reachFrom(verifiers) };
}

/** As the schema has accepted it, here or in the operator's file. */
export function registryFrom({ host, ...rest }: Written['registries'][number]): RegistrySettings {
  return { host: registryName(host), ...defined(rest) };
}

/** Only the limits that there are. */
function limitsFrom({ minutes, ...others }: Written['limits']): Limits {
  return { minutes, ...defined(others) };
}

/** The repository's agent, or undefined when it leaves the choice to the operator. */
export function agentFrom(agent: NonNullable<Written['agent']>): AgentChoice;
export function agentFrom(agent: Written['agent']): AgentChoice | undefined;
export function agentFrom(agent: Written['agent']): AgentChoice | undefined {
  if (agent === undefined) return undefined;
  const timeout_s = seconds(agent.timeout);
  const { timeout: _, ...rest } = agent;
  return { ...defined(rest), timeout_s };
}

function permissionsFrom({ hold, rules, ...kinds }: Written['permissions']): PermissionSettings {
  return { ...kinds, rules: defined(rules), hold_s: seconds(hold) };
}

/** The commands, and apart from them the checks of the repository's own CI. */
export function verifiersFrom(written: Written['verifiers']): Pick<Settings, 'verifiers' | 'checks'> {
  const verifiers = written.flatMap(({ run, name, timeout, required, setup, after }) => {
    if (run === undefined) return [];
    const beginning = defined({ setup, after });
    return [{ name, run, timeout_s: seconds(timeout ?? '10m'), required, ...beginning }];
  });
  const checks = written.flatMap(({ check, app, name, timeout, required }, index) => {
    if (check === undefined || app === undefined) return [];
    const after = written.slice(0, index).filter(({ run }) => run !== undefined).length;
    return [{ name, check, app, timeout_s: seconds(timeout ?? '30m'), required, after }];
  });
  return { verifiers, ...(checks.length > 0 && { checks }) };
}

function approvalFrom(approval: Written['approval']): ApprovalSettings {
  const { mode, threshold, new_history, required, finish, merge_method, apps } = approval;
  const { steerer_may_approve, requester_may_approve } = approval;
  const by = approversFrom(approval.by);
  const who = { required, by, steerer_may_approve, requester_may_approve, apps };
  const when = { new_history, on_timeout: 'proceed', ...timedFrom(approval) } as const;
  const protected_paths = protectedFrom(approval.protected_paths);
  const paths = protected_paths.length > 0 && { protected_paths };
  return { mode, threshold, ...when, ...who, ...paths, finish, merge_method };
}

/** As the schema has accepted them. */
export function protectedFrom(written: WrittenProtectedPaths): readonly ProtectedPaths[] {
  return written.map(({ paths, by }) => ({
    paths: typeof paths === 'string' ? [paths] : paths,
    by: approversFrom(by),
  }));
}

/** What is written about a timed proceed, at the top or for a base. */
export function timedFrom({
  auto_proceed_after,
  on_timeout,
}: {
  readonly auto_proceed_after?: string | undefined;
  readonly on_timeout?: OnTimeout | undefined;
}): Partial<ApprovalSettings> {
  return {
    ...(auto_proceed_after !== undefined && { auto_proceed_after_s: seconds(auto_proceed_after) }),
    ...(on_timeout !== undefined && { on_timeout, on_timeout_written: true }),
  };
}

/** `write`, `@ada`, `@acme/core`, `codeowners`, as the schema has accepted them. */
export function approversFrom(by: readonly string[]): readonly Approver[] {
  return by.map(approverFrom);
}

function approverFrom(text: string): Approver {
  if (text === 'codeowners') return { codeowners: true };
  if (text.startsWith('@')) return text.includes('/') ? { team: text.slice(1) } : { login: text.slice(1) };
  if (text === 'read' || text === 'triage' || text === 'write' || text === 'maintain' || text === 'admin')
    return { role: text };
  throw new Error(`could not read the approver ${text}: the schema should have rejected it`);
}

/** Only for text that the schema has accepted. */
function seconds(text: string): number {
  const amount = secondsOf(text);
  if (amount === undefined)
    throw new Error(`could not read the duration ${text}: the schema should have rejected it`);
  return amount;
}
