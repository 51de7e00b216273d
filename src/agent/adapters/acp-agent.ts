import { chmod, cp, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { agentPaths, profileOf } from '../../profiles/index.ts';
import type { Given, Profile, ToolServer } from '../../profiles/profile.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import type { ProtocolAgent } from '../../steering/shapes/settings.ts';
import { type Patience, usualPatience } from '../acp/agent-session.ts';
import { Conversation } from '../acp/conversation.ts';
import { hasOurName, openAskHuman } from '../human/ask-human.ts';
import { type Agents, agentsOnPath, openAgents, type Ready } from '../install/agents.ts';
import type { AgentAdapter, Outcome, RunSpec } from '../port/agent-adapter.ts';
import { runSandboxed, type SandboxContext, seenBy } from '../port/sandboxed-run.ts';
import { skillsFolder } from '../port/skills.ts';
import type { ProcessResult } from '../process/child.ts';
import { removeTree } from '../sandbox/folders.ts';
import { launched, outputTail, processFailure } from './process-failure.ts';

/** Any agent that speaks the Agent Client Protocol, of those on this machine; each is waited for as long. */
export function acpAdapter(
  patience: Patience = usualPatience,
  agents: Agents = openAgents(agentsOnPath),
): AgentAdapter<ProtocolAgent> {
  return {
    async start(spec, host) {
      const { agent, context, prompt, images } = spec;
      const profile = profileOf(agent);
      const { workspace } = seenBy(context);
      const human =
        spec.questions &&
        (await openAskHuman(context, spec.questions, (...asked) => conversation.ask(...asked)));
      const servers = serversOf(agent, human?.server);
      const conversation = new Conversation({
        ...{ profile, workspace, servers, prompt, images, host, patience },
        canAsk: human !== undefined,
      });
      const stop = new AbortController();
      const shown = human?.shown ?? {};
      const running = run({ spec, profile, servers, conversation, patience, agents, shown }, stop.signal);
      // Also if it never began: whoever wants to tell it something must not wait.
      const done = running.finally(() => {
        conversation.gone();
        human?.close();
      });
      const cancel = async (): Promise<void> => {
        stop.abort();
        await done;
      };
      const park = async (): Promise<void> => {
        if (!(await conversation.park())) stop.abort();
        await done;
      };
      return { done, cancel, park, steer: (text) => conversation.steer(text) };
    },
  };
}

interface Run {
  readonly spec: RunSpec<ProtocolAgent>;
  readonly profile: Profile;
  readonly servers: readonly ToolServer[];
  readonly conversation: Conversation;
  readonly patience: Patience;
  readonly agents: Agents;
  /** Files and sockets of ours, by their paths in the sandbox. */
  readonly shown: Readonly<Record<string, string>>;
}

/** What has our name, and so could be taken for ours, is left out. */
function serversOf({ mcp = [] }: ProtocolAgent, ours: ToolServer | undefined): readonly ToolServer[] {
  const configured = mcp.map(({ name, command: [command = '', ...args] }) => ({ name, command, args }));
  return [...configured.filter((each) => !hasOurName(each)), ...(ours === undefined ? [] : [ours])];
}

/** An agent that was found. */
type Start = Extract<Ready, { readonly kind: 'ready' }>;

/** Installing goes on when the run is cancelled: the next one needs the agent too. */
async function run(attempt: Run, cancelled: AbortSignal): Promise<Outcome> {
  const { profile, spec, agents } = attempt;
  const unusable = withoutModel(profile, spec);
  if (unusable !== null) return failed(attempt, unusable);
  const wanted = { workRoot: spec.context.workRoot, command: spec.agent.command };
  const ready = await Promise.race([agents.ready(profile, wanted), aborted(cancelled)]);
  if (ready === 'aborted') return { kind: 'cancelled' };
  if (ready.kind === 'ready') return hold(attempt, ready, cancelled);
  return failed(attempt, ready.problem);
}

/** The agent could not be started, so nothing of it has to be ended. */
function failed({ conversation }: Run, message: string): Outcome {
  conversation.gone();
  return { kind: 'failed', failure: { kind: 'agent_unusable', message } };
}

function withoutModel(
  { modelNeeded, name, title }: Profile,
  { agent }: RunSpec<ProtocolAgent>,
): string | null {
  if (modelNeeded === undefined || agent.model !== undefined) return null;
  return `${title} has to be told its model, as in \`agent: { use: ${name}, model: ${modelNeeded} }\``;
}

function aborted(signal: AbortSignal): Promise<'aborted'> {
  if (signal.aborted) return Promise.resolve('aborted');
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
}

async function hold(attempt: Run, start: Start, cancelled: AbortSignal): Promise<Outcome> {
  const { conversation, profile, spec, patience } = attempt;
  const given = givenTo(attempt);
  await writeSettings(spec.context, profile.homeFiles?.(given) ?? {}, skillsInHome(profile, spec));
  const over = new AbortController();
  const running = execute(attempt, start, AbortSignal.any([cancelled, over.signal]));
  const holding = conversation.hold();
  running.finally(() => conversation.gone()).catch(toldBelow);
  // At the end of its input it should end by itself, and put away what it has.
  const end = (): void => {
    conversation.wire.end();
    setTimeout(() => over.abort(), patience.exitMs).unref();
  };
  holding.finally(end).catch(toldBelow);
  const [result, held] = await Promise.allSettled([running, holding]);
  if (result.status === 'rejected') throw result.reason;
  if (held.status === 'rejected') throw held.reason;
  if (cancelled.aborted) return { kind: 'cancelled' };
  return held.value ?? { kind: 'failed', failure: failureOf(result.value, attempt) };
}

function givenTo({ spec: { agent, context }, servers }: Run): Given {
  const models = context.network.modelVariables;
  return { choice: agent, models, workspace: seenBy(context).workspace, servers };
}

function toldBelow(): void {}

function execute(
  running: Run,
  { argv: found, readable }: Start,
  signal: AbortSignal,
): Promise<ProcessResult> {
  const { spec, profile, shown, conversation } = running;
  const { wire } = conversation;
  const { agent, context, attempt, timeoutMs } = spec;
  const argv = [...found, ...(agent.command === undefined ? profile.launch.args : [])];
  const program = {
    argv: launched(argv),
    use: 'agent' as const,
    command: argv.join(' '),
    talk: {
      onStdin: (stdin: Writable) => wire.attach(stdin),
      onStdout: (chunk: Buffer) => wire.receive(chunk),
    },
    timeoutMs,
    confinement: {
      ...{ masked: agentPaths.workspace, namespaces: true, readable },
      shown: { ...shownSkills(spec), ...shown },
    },
    env: {
      ...context.agentEnvironment,
      ...context.network.modelVariables,
      ...profile.environment(givenTo(running)),
      COXSWAIN_RUN: attempt.run,
      COXSWAIN_ITERATION: String(attempt.iteration),
      COXSWAIN_ATTEMPT: String(attempt.attempt),
    },
  };
  return runSandboxed(context, program, signal);
}

/** Copies, by their paths in the home, for an agent that has a place of its own for them. */
function skillsInHome(
  { skillsFolder: ofAgent }: Profile,
  { context, skills }: RunSpec,
): Readonly<Record<string, string>> {
  if (ofAgent === undefined) return {};
  const all = skillsFolder(context);
  return Object.fromEntries(skills.map(({ name }) => [`${ofAgent}/${name}`, join(all, name)]));
}

/** Where they are seen in the sandbox, and cannot be changed. */
function shownSkills({ context, skills }: RunSpec): Readonly<Record<string, string>> {
  return Object.fromEntries(skills.map(({ name, folder }) => [folder, join(skillsFolder(context), name)]));
}

/** Why its process ended before its work did. */
function failureOf(result: ProcessResult, { spec, profile, conversation }: Run): Failure {
  const { title: name } = profile;
  const whole = { ...result, stdout: conversation.wire.stray };
  const notFound = notFoundMessage(spec, profile);
  const failure = processFailure(whole, { name, notFound, timeoutMs: spec.timeoutMs });
  return failure ?? { kind: 'exit', message: `${name} ended before it had finished${outputTail(whole)}` };
}

function notFoundMessage({ agent: { command } }: RunSpec<ProtocolAgent>, { title, launch }: Profile): string {
  if (command === undefined) return `${title} was not found: its program \`${launch.bin}\` is gone`;
  return (
    `the agent \`${command[0]}\` was not found: it is configured under \`agent.command\`` +
    ' in .github/coxswain.yml and must be on the search path or, with a slash in its name, in the repository'
  );
}

/**
 * Writes an agent's settings into the home of the attempt, and copies of folders, and removes all others.
 * Set-up has run there: what the branch brings could have left settings by which an agent asks nobody, or
 * links that lead elsewhere.
 */
async function writeSettings(
  context: SandboxContext,
  files: Readonly<Record<string, string>>,
  folders: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { home, sandbox } = context;
  for (const path of [...agentPaths.home, ...Object.keys(files), ...Object.keys(folders)]) {
    await makeRealFolders(home, path);
    await removeTree(join(home, path));
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content, { flag: 'wx', mode: 0o600 });
  }
  for (const [path, from] of Object.entries(folders)) await cp(from, join(home, path), { recursive: true });
  await sandbox.prepare(context);
}

/** The folders above a path, as folders that we may change: a link or a file in their place is removed. */
async function makeRealFolders(home: string, path: string): Promise<void> {
  let folder = home;
  for (const part of ['', ...path.split('/').slice(0, -1)]) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(missing);
    if (found === null) return;
    if (!found.isDirectory()) return rm(folder, { force: true });
    if ((found.mode & 0o700) !== 0o700) await chmod(folder, found.mode | 0o700);
  }
}

function missing(cause: NodeJS.ErrnoException): null {
  if (cause.code === 'ENOENT') return null;
  throw new Error("could not read the attempt's home", { cause });
}
