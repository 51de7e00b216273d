import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineAgent } from '../../agent/index.ts';
import type { AppSettings } from '../../app/settings.ts';
import { modelProblem } from '../../config/agent-keys.ts';
import { keyNamesOf } from '../../network/model/providers.ts';
import { profileNamed } from '../../profiles/index.ts';
import type { NamedProfile } from '../../profiles/profile.ts';
import type { ProtocolAgent, Settings } from '../../steering/settings.ts';
import { type Finding, note, ok, problem } from './finding.ts';

/** Whether the agent that a repository has chosen can work on this machine. */
export async function examineChosenAgent(
  settings: Pick<Settings, 'agent' | 'network'>,
  app: Pick<AppSettings, 'operatorFile' | 'providers'>,
): Promise<readonly Finding[]> {
  const { agent } = settings;
  const profile = profileNamed(agent.use);
  if (profile === undefined || 'script' in agent)
    return [note('agent', `its agent is ${agent.use}, a program of its own, which doctor does not start`)];
  const { bounds } = app.operatorFile;
  const why = modelProblem(settings, keyNamesOf(app.providers), bounds.network);
  return [
    await program(agent, profile, app),
    why === undefined
      ? ok('agent-key', `${profile.title} reaches its model`)
      : problem(
          'agent-key',
          why,
          'Set the key in the environment of the App, or in .env, and start it again',
        ),
  ];
}

async function program(
  agent: ProtocolAgent,
  { title, name }: NamedProfile,
  { operatorFile: { install } }: Pick<AppSettings, 'operatorFile'>,
): Promise<Finding> {
  const workRoot = await mkdtemp(join(tmpdir(), 'coxswain-doctor-'));
  try {
    const ready = await examineAgent(agent, workRoot);
    if (ready.kind === 'ready') {
      const version = ready.version === null ? '' : ` ${ready.version}`;
      return ok('agent', `${title}${version} is installed`);
    }
    const mayInstall = typeof install === 'boolean' ? install : install.some((each) => each === name);
    if (mayInstall && agent.command === undefined)
      return ok('agent', `${title} is installed when it is first needed, unless it has been already`);
    const [what = '', ...remedy] = ready.problem.split('. ');
    return problem(
      'agent',
      what,
      remedy.join('. ').replace(/\.$/, '') || 'docs/agents.md says how to install it',
    );
  } finally {
    await rm(workRoot, { recursive: true, force: true });
  }
}
