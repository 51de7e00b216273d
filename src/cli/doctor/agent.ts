import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineAgent } from '../../agent/index.ts';
import type { AppSettings } from '../../app/settings.ts';
import { modelProblem } from '../../config/agent-keys.ts';
import { agentProfiles } from '../../config/agent-profiles.ts';
import { keyNamesOf } from '../../network/model/providers.ts';
import type { ProfileName, ProtocolAgent, Settings } from '../../steering/settings.ts';
import { type Finding, note, ok, problem } from './finding.ts';

/** Whether the agent that a repository has chosen can work on this machine. */
export async function examineChosenAgent(
  settings: Pick<Settings, 'agent' | 'network'>,
  app: Pick<AppSettings, 'operatorFile' | 'providers'>,
): Promise<readonly Finding[]> {
  const { agent } = settings;
  const { use } = agent;
  if (use === 'command' || use === 'scripted' || use === 'acp')
    return [note('agent', `its agent is ${use}, a program of its own, which doctor does not start`)];
  const { bounds } = app.operatorFile;
  const why = modelProblem(settings, keyNamesOf(app.providers), bounds.network);
  return [
    await program({ ...agent, use }, app),
    why === undefined
      ? ok('agent-key', `${agentProfiles[use].title} reaches its model`)
      : problem(
          'agent-key',
          why,
          'Set the key in the environment of the App, or in .env, and start it again',
        ),
  ];
}

async function program(
  agent: ProtocolAgent & { readonly use: ProfileName },
  { operatorFile: { install } }: Pick<AppSettings, 'operatorFile'>,
): Promise<Finding> {
  const { title } = agentProfiles[agent.use];
  const workRoot = await mkdtemp(join(tmpdir(), 'coxswain-doctor-'));
  try {
    const ready = await examineAgent(agent, workRoot);
    if (ready.kind === 'ready') {
      const version = ready.version === null ? '' : ` ${ready.version}`;
      return ok('agent', `${title}${version} is installed`);
    }
    const mayInstall = typeof install === 'boolean' ? install : install.some((name) => name === agent.use);
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
