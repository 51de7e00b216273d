import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { usualPatience } from '../../src/agent/acp/agent-session.ts';
import { acpAdapter } from '../../src/agent/adapters/acp-agent.ts';
import { openWorkspace } from '../../src/agent/attempt/workspace.ts';
import { type Agents, openAgents } from '../../src/agent/install/agents.ts';
import type {
  AgentEvent,
  AgentRun,
  Outcome,
  Permission,
  PermissionRequest,
} from '../../src/agent/port/agent-adapter.ts';
import type { SandboxContext } from '../../src/agent/port/sandboxed-run.ts';
import { seenBy } from '../../src/agent/port/sandboxed-run.ts';
import { placeSkills, readSkills } from '../../src/agent/port/skills.ts';
import type { Mirror } from '../../src/git/mirror.ts';
import { providersIn } from '../../src/network/model/providers.ts';
import type { Spent } from '../../src/network/spending/model-budget.ts';
import { openSpending } from '../../src/network/spending/open-spending.ts';
import type { ProtocolAgent } from '../../src/steering/shapes/settings.ts';
import { agentFixture, default_branch, hold } from '../agent/agent-fixture.ts';
import { settingsOf, stateOf } from '../agent/states.ts';
import { realKeys } from '../network/model-fixture.ts';
import type { Step } from '../network/scripted-answers.ts';
import { type Fault, type ReceivedRequest, scriptedModel } from '../network/scripted-model.ts';
import { type Real, unread } from './real.ts';
import { record } from './recording.ts';

/** Where agents are installed, once for all tests. */
const cache = resolve(process.env['COXSWAIN_TEST_AGENTS'] ?? '.coxswain/agents');

const installedHere = openAgents({ cache, mayInstall: true, log: () => undefined });

export interface Driving {
  /** What the model says; `$W` is the workspace. */
  readonly script?: readonly Step[];
  /** What is committed on the branch. */
  readonly files?: Readonly<Record<string, string>>;
  readonly choice?: Partial<ProtocolAgent>;
  readonly fault?: (request: ReceivedRequest, count: number) => Fault | undefined;
  /** The keys of the operator, by their variables. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly limits?: { readonly tokens?: number };
  decide?(request: PermissionRequest): Permission | Promise<Permission>;
}

export interface Driven {
  readonly run: AgentRun;
  readonly done: Promise<Outcome>;
  readonly events: readonly AgentEvent[];
  readonly asked: readonly PermissionRequest[];
  /** What the model received, without requests for titles and the like. */
  requests(): readonly ReceivedRequest[];
  /** All of them. */
  readonly received: readonly ReceivedRequest[];
  /** Lets answers of the model that were held go on. */
  proceed(): void;
  /** What has changed in the workspace, as `git status --short` has it. */
  status(): string;
  read(path: string): string | undefined;
  readonly workspace: string;
  readonly home: string;
  spent(): Spent | null;
  blocked(): readonly string[];
}

/** Starts a real agent on a task, in its sandbox, behind our endpoint, with a scripted model. */
export async function drive(real: Real, options: Driving = {}): Promise<Driven> {
  const agent: ProtocolAgent = { ...real.choice, timeout_s: 120, ...options.choice };
  const script: Step[] = [];
  const model = await scriptedModel({
    script,
    withoutTools: 'A title',
    ...(options.fault && { fault: options.fault }),
  });
  onTestFinished(() => model.close());
  const on = await agentFixture(options.files ?? { 'hello.txt': 'hello\n' });
  const spending = openSpending(join(on.root, 'spending'));
  const providers = providersIn(options.keys ?? realKeys, { url: model.url }).filter(
    ({ host }) => host === real.provider,
  );
  const network = { registries: [], privateHosts: [], providers, spending };
  const limits = { minutes: 10, ...options.limits };
  const state = stateOf({ head: on.head, settings: settingsOf({ agent, limits }) });
  const assignment = { state, hold, commit: on.head, default_branch };
  const { context, remove } = await openWorkspace(assignment, { ...on.resources, network });
  onTestFinished(remove);
  const { workspace, home } = context;
  const skills = await skillsFor(context, { agent, mirror: on.mirror });
  script.push(...inWorkspace(options.script ?? [{ text: 'Done.' }], seenBy(context).workspace));
  const events: AgentEvent[] = [];
  const asked: PermissionRequest[] = [];
  const { agents, save } = recorded(real, workspace);
  const run = await acpAdapter(usualPatience, agents).start(
    {
      ...{ agent, prompt: task, images: [], skills, context, timeoutMs: options.timeoutMs ?? 90_000 },
      attempt: { run: state.run.id, iteration: 0, attempt: 1 },
      readConfigured: async () => undefined,
    },
    {
      event: (event) => void events.push(event),
      decide: async (request) => {
        asked.push(request);
        return (await options.decide?.(request)) ?? { allow: true };
      },
      ask: async () => ({ kind: 'refused', reason: 'nobody can be asked' }),
    },
  );
  onTestFinished(() => run.cancel());
  return {
    ...{ run, done: run.done.finally(save), events, asked, workspace, home, received: model.requests },
    requests: () => model.requests.filter(({ body }) => (body?.tools ?? body?.input ?? []).length > 0),
    proceed: model.proceed,
    status: () =>
      execFileSync('git', ['-c', 'safe.directory=*', 'status', '--short'], { cwd: workspace }).toString(),
    read: (path) =>
      existsSync(join(workspace, path)) ? readFileSync(join(workspace, path), 'utf8') : undefined,
    spent: () => context.network.spent(),
    blocked: () => context.network.takeBlocked().map(({ host }) => host),
  };
}

/** With a recording of the wire, where one was asked for. */
function recorded(real: Real, workspace: string): { agents: Agents; save(): void } {
  const folder = process.env['COXSWAIN_RECORD_AGENTS'];
  if (folder === undefined) return { agents: installedHere, save: () => undefined };
  return record(installedHere, { name: real.choice.use, folder, workspace, unread });
}

export const task = 'Change hello.txt from hello to bye.';

function inWorkspace(script: readonly Step[], workspace: string): readonly Step[] {
  return JSON.parse(JSON.stringify(script).replaceAll('$W', workspace));
}

/** What no request to the model, no file of the agent's and none of its words may contain. */
export function expectNoKeys({ received, events, home, workspace }: Driven): void {
  const keys = Object.values(realKeys);
  const texts = [
    ...received.map(({ text }) => text),
    JSON.stringify(events),
    ...filesBelow(home),
    ...filesBelow(workspace),
  ];
  for (const key of keys) expect(texts.filter((text) => text.includes(key))).toEqual([]);
}

function filesBelow(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
}

/** What an outcome says of a failure; fails for any other. */
export function failureOf(outcome: Outcome): { kind: string; message: string } {
  if (outcome.kind !== 'failed') throw new Error(`expected a failure: ${JSON.stringify(outcome)}`);
  return outcome.failure;
}

/** Waits for a state; the test's own limit bounds it. */
export async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 60_000, interval: 20 }).toBe(true);
}

/** Those that the choice names, where the agent can read them. */
async function skillsFor(
  context: SandboxContext,
  { agent, mirror }: { agent: ProtocolAgent; mirror: Mirror },
) {
  const source = { mirror, rev: `refs/heads/${default_branch}` };
  const found = await readSkills(agent.skills ?? [], source);
  if (found.kind === 'failed') throw new Error(found.failure.message);
  return placeSkills(found.skills, context, source);
}
