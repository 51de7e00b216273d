import { relative } from 'node:path';
import { shellWord } from '../../agent/index.ts';
import { readConfig } from '../../config/read.ts';
import { configPath } from '../../config/schema.ts';
import { issueFormPath } from '../../config/tasks/form.ts';
import { git } from '../../git/git.ts';
import { connect } from '../../github/octokit/connect.ts';
import { type ActionsSettings, readActionsSettings } from '../../github/read/actions-settings.ts';
import type { Findings } from '../../onboarding/ecosystems/ecosystem.ts';
import { placeholder, placeholderLine } from '../../onboarding/setup-files.ts';
import type { NamedProfile } from '../../profiles/profile.ts';
import { configuringInputs } from '../doctor/workflow-files.ts';
import { type Clone, filesIn } from '../terminal/clone.ts';
import { UsageError } from '../terminal/exit.ts';
import { givenEnvironment, ownAccess, webFrom } from '../terminal/own-environment.ts';
import { workflowOf } from './init-files.ts';

interface Done {
  readonly clone: Clone;
  readonly findings: Findings;
  readonly agent: Pick<NamedProfile, 'title' | 'keys'>;
  /** The App works on the repository, and no workflow. */
  readonly app: boolean;
  /** What GitHub has been asked. */
  readonly known: OnGitHub | undefined;
}

interface Remaining extends Done {
  /** The files that are not committed as they are. */
  readonly paths: readonly string[];
  readonly workflow: { readonly path: string; readonly text: string };
}

/** What is left to do once the files are written, in order. */
export async function remainingSteps(done: Done): Promise<string> {
  const { clone, findings, app } = done;
  const { path, text = '' } = await workflowOf(clone);
  const written = app ? [configPath, issueFormPath] : [configPath, path, issueFormPath];
  const paths = await uncommitted(clone, written);
  const remaining = { ...done, paths, workflow: { path, text } };
  const all = [
    ...(await correction(clone)),
    firstLook(findings),
    ...(app ? [] : [...inputsInTheWay(remaining), ...release(remaining)]),
    ...commit(remaining),
    ...(app ? installation(remaining) : secretAndSetting(remaining)),
    `Comment \`/run\` on an issue: ${clone.web}/${clone.name}/issues\nA draft pull request answers it, and \`/help\` there lists what you can say.`,
  ];
  const steps = all.map((step, index) => `${index + 1}. ${step.replaceAll('\n', '\n   ')}\n`);
  return `${toldByGitHub(remaining)}\nWhat is left, in order:\n\n${steps.join('')}`;
}

/** What was there was left as it is, and may be wrong. */
async function correction({ root, defaultBranch: ref }: Clone): Promise<readonly string[]> {
  const reading = readConfig(await filesIn(root).read(configPath), { path: configPath, ref });
  if (reading.outcome === 'configured') return [];
  return [`Correct ${configPath}, which is not valid: \`coxswain check\` lists what is wrong with it.`];
}

async function uncommitted({ root }: Clone, paths: readonly string[]): Promise<readonly string[]> {
  const shown = await git(['status', '--porcelain', '-z', '--untracked-files=all', '--', ...paths], {
    cwd: root,
  });
  return paths.filter((path) => shown.split('\0').some((line) => line.slice(3) === path));
}

function firstLook({ setup, verifiers }: Findings): string {
  if (verifiers.length === 0)
    return 'List the commands that tell whether the work is right under `verifiers` in .github/coxswain.yml.';
  const commands = [...setup, ...verifiers].map(({ run }) => (/[&|;]/.test(run) ? `(${run})` : run));
  return `Try the commands here: if one already fails, no work can ever be green.\n  ${commands.join(' && ')}`;
}

/** A workflow from before there was a configuration may have such inputs. */
function inputsInTheWay({ workflow: { path, text } }: Remaining): readonly string[] {
  const inputs = configuringInputs(text);
  if (inputs.length === 0) return [];
  return [
    `Remove ${inputs.join(', ')} under \`with\` in ${path}: ${configPath} says it all now, and a\nverifier of the same name in both is refused.`,
  ];
}

function release({ workflow: { path, text } }: Remaining): readonly string[] {
  const line = placeholderLine(text);
  if (line === undefined) return [];
  return [
    `Name a release of Coxswain in line ${line} of ${path}, in place of ${placeholder}:\na clone does not know where one is. Without one, make it in a fork of yours (CONTRIBUTING.md, "Release").`,
  ];
}

function commit({ paths, clone: { defaultBranch, root } }: Remaining): readonly string[] {
  if (paths.length === 0) return [];
  const here = relative(process.cwd(), root);
  const enter = here === '' ? '' : `cd ${shellWord(here)} && `;
  return [
    `Commit to the default branch, ${defaultBranch}: nothing else counts.\n  ${enter}git add ${paths.map(shellWord).join(' ')} && git commit -m "Add Coxswain" && git push`,
  ];
}

function secretAndSetting(remaining: Remaining): readonly string[] {
  const { clone, agent, known } = remaining;
  const { web, name } = clone;
  const [key] = agent.keys;
  const host = web.replace(/^https?:\/\//, '');
  const place = host === 'github.com' ? name : `${host}/${name}`;
  const secret = `Store the key of ${agent.title}'s model as a secret. The command prompts for it, so it stays out of your shell history:\n  gh secret set ${key} --repo ${place}`;
  const setting = `Tick "Allow GitHub Actions to create and approve pull requests", at the end of\n  ${web}/${name}/settings/actions`;
  return [
    ...(key === undefined || known?.secrets?.includes(key) ? [] : [secret]),
    ...(known?.enabled === false ? [`Switch GitHub Actions on:\n  ${web}/${name}/settings/actions`] : []),
    ...(known?.may_create_pulls ? [] : [setting]),
  ];
}

/** What GitHub says is done, or is in the way. */
function toldByGitHub({ known, agent, app }: Remaining): string {
  if (known === undefined) return '';
  const [key = ''] = agent.keys;
  const { secrets, may_create_pulls, enabled } = known;
  const unseen = [secrets, may_create_pulls, enabled].includes(undefined);
  const told = [
    ...(known.may_push ? [] : ['you may not push to this repository']),
    ...(known.has_issues ? [] : ['issues are switched off, so that runs start on pull requests only']),
    ...(!app && secrets?.includes(key) ? [`the secret ${key} is there`] : []),
    ...(!app && may_create_pulls ? ['GitHub Actions may create pull requests'] : []),
    ...(!app && unseen ? ['the rest is shown to administrators only'] : []),
  ];
  return told.length === 0 ? '' : `\nGitHub says: ${told.join('; ')}.\n`;
}

function installation({ clone: { name }, agent }: Remaining): readonly string[] {
  const [key] = agent.keys;
  return [
    `Make sure that the App is installed on ${name}: \`coxswain setup\` printed the address when it was registered.`,
    `Make sure that the App has the key of ${agent.title}'s model${key === undefined ? '' : `, ${key}`}: it belongs to its environment, not to\nthe repository. Where it runs, \`coxswain doctor --repo ${name}\` tells what is missing.`,
  ];
}

/** What GitHub shows of a repository to the person who sets it up. */
export interface OnGitHub extends ActionsSettings {
  /** Whether they may push to it. */
  readonly may_push: boolean;
  readonly has_issues: boolean;
}

/**
 * Asks with the token that the person has set for this host. Throws `UsageError` if there is none, or if only
 * the clone says which host it is.
 */
export async function askGitHub({ web, name }: Pick<Clone, 'web' | 'name'>): Promise<OnGitHub> {
  const variables = givenEnvironment();
  requireTrusted(web, variables);
  const access = ownAccess(web, variables, { option: '--check', command: 'coxswain init --check' });
  const octokit = connect(access);
  const [owner = '', repo = ''] = name.split('/');
  const { data } = await octokit.rest.repos.get({ owner, repo }).catch((cause: unknown) => {
    throw new Error(`could not look at ${web}/${name}`, { cause });
  });
  const settings = await readActionsSettings(octokit, { owner, name: repo });
  return { ...settings, may_push: data.permissions?.push ?? false, has_issues: data.has_issues };
}

/** Whoever made a clone says where its origin is: a token goes only to a host that its owner has named. */
function requireTrusted(web: string, variables: ReturnType<typeof givenEnvironment>): void {
  if (web === 'https://github.com' || web === webFrom(variables)) return;
  const host = web.replace(/^https?:\/\//, '');
  const what = `--check would send your token to ${web}, which only the remote origin of this clone names`;
  throw new UsageError(`${what}: if that is your GitHub, set GH_HOST=${host}`);
}
