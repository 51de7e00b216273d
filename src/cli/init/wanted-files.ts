import { text as example } from '../../../examples/claude.yml?text';
import { shortestChoice } from '../../agent/index.ts';
import { readConfig } from '../../config/read.ts';
import { problemText } from '../../config/schema/problem.ts';
import { configPath } from '../../config/schema.ts';
import { issueForm, issueFormPath } from '../../config/tasks/form.ts';
import { configurationText } from '../../onboarding/configuration-text.ts';
import type { Findings } from '../../onboarding/ecosystems/findings.ts';
import { workflowText } from '../../onboarding/workflow-text.ts';
import { type ProfileName, profileNames, profiles } from '../../profiles/index.ts';
import { type Clone, filesIn } from '../terminal/clone.ts';
import type { WantedFile } from './write-files.ts';

/** Where the workflow is written. */
export const workflowPath = '.github/workflows/coxswain.yml';

interface Wanted {
  readonly findings: Findings;
  readonly agent: ProfileName;
  /** An App works on the repository, so it needs no workflow. */
  readonly app: boolean;
  /** `owner/name@ref` */
  readonly action: string;
}

/** The files that the repository should have. */
export async function wantedFiles(
  clone: Clone,
  { findings, agent, app, action }: Wanted,
): Promise<readonly WantedFile[]> {
  const configuration = {
    path: configPath,
    text: configurationText({ findings, agent: shortestChoice(agent) }),
  };
  requireValid(configuration.text, clone);
  const hasForm = (await filesIn(clone.root).read(issueFormPath)) !== undefined;
  // Whatever the form says that is there, people have written it for people.
  const others = hasForm ? [] : [{ path: issueFormPath, text: issueForm() }];
  if (app || (await workflowOf(clone)).path !== workflowPath) return [configuration, ...others];
  const { title, keys } = profiles[agent];
  const { needs } = findings;
  const text = workflowText({ example, agentTitle: title, key: keys[0], action, needs });
  return [configuration, { path: workflowPath, text }, ...others];
}

/** Whoever wrote the configuration that is there has chosen an agent. */
export async function configuredAgent({ root, defaultBranch: ref }: Clone): Promise<ProfileName | undefined> {
  const reading = readConfig(await filesIn(root).read(configPath), { path: configPath, ref });
  if (reading.outcome === 'misconfigured') return undefined;
  return profileNames.find((name) => name === reading.settings.agent.use);
}

/** The workflow that runs Coxswain, with its text if it is there: the usual one, or one of another name. */
export async function workflowOf({
  root,
}: Clone): Promise<{ readonly path: string; readonly text: string | undefined }> {
  const files = filesIn(root);
  const paths = (await files.files()).filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path));
  for (const path of paths.filter((each) => each !== workflowPath)) {
    const text = await files.read(path);
    if (text !== undefined && /^\s*-?\s*uses:\s*["']?[\w-]+\/coxswain@/m.test(text)) return { path, text };
  }
  return { path: workflowPath, text: await files.read(workflowPath) };
}

/** What we write ourselves must be what we can read. */
function requireValid(text: string, { defaultBranch: ref }: Clone): void {
  const reading = readConfig(text, { path: configPath, ref });
  if (reading.outcome === 'configured') return;
  throw new Error(`could not make a valid configuration: ${reading.problems.map(problemText).join('; ')}`);
}
