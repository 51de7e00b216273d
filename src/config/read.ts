import { createHash } from 'node:crypto';
import type { AgentChoice, Settings } from '../steering/settings.ts';
import { type Bounds, beyond, within } from './bounds.ts';
import { minimalConfig } from './minimal.ts';
import { linesIn } from './positions.ts';
import type { Problem } from './problem.ts';
import { problemAt, problemsFrom, type Reading } from './problems.ts';
import { configSchema, publishedSchema } from './schema.ts';
import { agentFrom, settingsFrom } from './settings.ts';
import { parseYaml } from './yaml.ts';

/** Where the configuration was read: `.github/coxswain.yml` at a branch or commit. */
interface RepositoryRef {
  readonly path: string;
  readonly ref: string;
}

/** Settings of the App's operator (or the Action's inputs) for every repository. */
export interface Operator {
  /** For repositories that configure no agent. */
  readonly defaults?: { readonly agent?: AgentChoice };
  readonly bounds?: Bounds;
}

export type ConfigReading = Configured | Misconfigured;

interface Configured {
  readonly outcome: 'configured';
  readonly where: RepositoryRef;
  readonly settings: Settings;
}

export interface Misconfigured {
  readonly outcome: 'misconfigured';
  readonly where: RepositoryRef;
  /** The file does not exist; the reply shows `minimalConfig()`. */
  readonly missing: boolean;
  /** Never empty; all problems at once. */
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

  const document = withLongAgent(parsed.document);
  const reading = { document, schema: publishedSchema, lineOf: linesIn(text) };
  const checked = configSchema.safeParse(reading.document);
  const agent = agentFrom(checked.data?.agent) ?? operator.defaults?.agent;
  const unchosen = agent === undefined && isUnwritten(reading, 'agent') ? [agentMissing(reading)] : [];
  if (!checked.success) return misconfigured(where, [...problemsFrom(checked.error, reading), ...unchosen]);
  if (agent === undefined) return misconfigured(where, unchosen);
  return bounded({ where, settings: settingsFrom(checked.data, agent, digestOf(text)) }, operator, reading);
}

function bounded(
  { where, settings }: Omit<Configured, 'outcome'>,
  { bounds = {} }: Operator,
  reading: Reading,
): ConfigReading {
  const problems = beyond(bounds, settings, reading);
  if (problems.length > 0) return misconfigured(where, problems);
  return { outcome: 'configured', where, settings: within(bounds, settings) };
}

function missing(where: RepositoryRef): Misconfigured {
  const expected = `a file ${where.path} at ${where.ref}`;
  const problem = { path: '', expected, received: 'nothing', example: minimalConfig() };
  return { outcome: 'misconfigured', where, missing: true, problems: [problem] };
}

function misconfigured(where: RepositoryRef, problems: readonly Problem[]): Misconfigured {
  return { outcome: 'misconfigured', where, missing: false, problems };
}

/** `agent: codex` is short for `agent: {use: codex}`. */
export function withLongAgent(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || !('agent' in document)) return document;
  if (typeof document.agent !== 'string') return document;
  return { ...document, agent: { use: document.agent } };
}

function isUnwritten({ document }: Reading, key: string): boolean {
  return typeof document === 'object' && document !== null && !Array.isArray(document) && !(key in document);
}

function agentMissing(reading: Reading): Problem {
  return problemAt(
    ['agent'],
    'an agent: none is configured here, and the operator has set no default',
    reading,
  );
}

/** SHA-256 of the file, in hex. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
