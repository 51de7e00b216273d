import { readFileSync } from 'node:fs';
import { operatorOf, withDefaults } from '../app/environment/app-settings.ts';
import { sandboxMode } from '../app/environment/programs.ts';
import { given } from '../app/environment/values.ts';
import { withProfile } from '../config/agent-choices.ts';
import { readOperatorFile } from '../config/operator/read-operator-file.ts';
import { type Configured, type Operator, readConfig } from '../config/read.ts';
import { type Problem, problemLines } from '../config/schema/config-problem.ts';
import { minimalConfig } from '../config/schema.ts';
import { foreignTeams, nameOfAgent, otherAgents, ownerIn } from '../config/settings-by-base.ts';
import { git } from '../git/git.ts';
import type { Tokens } from '../network/spending/model-budget.ts';
import { type Price, pricesWith } from '../network/spending/prices.ts';
import type { CommandFile } from './terminal/command-file.ts';
import { UsageError } from './terminal/exit.ts';
import { ownEnvironment } from './terminal/own-environment.ts';

const usualFile = '.github/coxswain.yml';

export const check: CommandFile<Options> = {
  about:
    'Checks a configuration without anything else: no App, no network, no agent. It exits with 1 if there is a ' +
    'problem. In a clone, the teams that may approve are compared with the owner of upstream or origin; whether ' +
    'they exist, only GitHub knows: `coxswain doctor` asks.',
  takes: (command) =>
    command
      .argument('[file]', 'the configuration; - is what comes on stdin', usualFile)
      .option(
        '--operator <file>',
        "also whether an App with this operator's file, and with COXSWAIN_SANDBOX as it is set here, allows it; " +
          'that file is checked as well',
      )
      .option(
        '--branch <name>',
        'the default branch, which `bases` may not name (default: that of origin, or main)',
      )
      .option('-o, --output <format>', 'text or json', 'text'),
  examples: {
    check: `${usualFile} in this folder`,
    'check --operator operator.yml -o json':
      "the problems of both files, and of one under the other's bounds",
  },
  run: checkAll,
};

interface Options {
  readonly operator?: string;
  readonly branch?: string;
  readonly output: string;
}

async function checkAll({ output, ...given }: Options, file = usualFile): Promise<number> {
  if (output !== 'text' && output !== 'json')
    throw new UsageError(`--output is ${JSON.stringify(output)}: expected text or json`);
  const checked = await checkFiles(file, given);
  const found = checked.flatMap(({ problems }) => problems).length;
  process.stdout.write(output === 'json' ? jsonOf(checked) : checked.map(reportOf).join(''));
  return found === 0 ? 0 : 1;
}

/** A file, and everything that is wrong with it; `says` is what it configures if nothing is. */
interface CheckedFile {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly says: string;
  /** What is no problem, but may not be what is meant. */
  readonly notices?: readonly string[];
}

async function checkFiles(
  file: string,
  { operator: path, branch }: Omit<Options, 'output'>,
): Promise<readonly CheckedFile[]> {
  const operator = path === undefined ? undefined : checkOperator(path);
  const where = { path: nameOf(file), ref: branch ?? (await defaultBranch()) };
  const example = minimalConfig().replaceAll(/^(?=.)/gm, '  ');
  const text = textOf(file, `a configuration to start with:\n\n${example}`);
  const reading = readConfig(text, where, operator?.allows);
  const own =
    reading.outcome === 'configured'
      ? {
          ...{ file: where.path, problems: foreignTeams(reading, await ownerHere()) },
          ...{ says: summaryOf(reading), notices: unpricedIn(reading, operator?.prices) },
        }
      : { file: where.path, problems: reading.problems, says: '' };
  return operator === undefined ? [own] : [operator.checked, own];
}

function nameOf(file: string): string {
  return file === '-' ? 'the configuration on stdin' : file;
}

function checkOperator(file: string): {
  readonly checked: CheckedFile;
  readonly allows?: Operator;
  readonly prices?: readonly Price[];
} {
  const variables = ownEnvironment();
  const expected = `--operator takes the file that the App's COXSWAIN_OPERATOR_FILE names`;
  const reading = readOperatorFile(textOf(file, expected), variables);
  if (reading.outcome === 'invalid') return { checked: { file, problems: reading.problems, says: '' } };
  const sandbox = given(variables, 'COXSWAIN_SANDBOX', sandboxMode);
  const nobody = { appId: 0, privateKey: '', ledgerKey: '' };
  const app = withDefaults({ ...nobody, operatorFile: reading.file, ...(sandbox && { sandbox }) });
  const { prices } = reading.file;
  return { checked: { file, problems: [], says: '' }, allows: operatorOf(app), prices };
}

/** `expected`: what is said where there is no such file. */
function textOf(file: string, expected: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (!isMissing) throw new Error(`could not read ${file}`, { cause });
    throw new Error(`there is no file ${file}; ${expected}`);
  }
}

/** Who owns the repository that this is a clone of; in a clone of a fork that is `upstream`, by custom. */
async function ownerHere(): Promise<string | undefined> {
  const addressOf = (remote: string) =>
    git(['remote', 'get-url', remote], { cwd: process.cwd() }).catch(() => '');
  return ownerIn((await addressOf('upstream')).trim()) ?? ownerIn((await addressOf('origin')).trim());
}

/** Takes that of `origin`, if this is a clone. */
async function defaultBranch(): Promise<string> {
  const named = await git(['rev-parse', '--abbrev-ref', 'origin/HEAD']).catch(() => 'main');
  return named.trim().replace(/^origin\//, '');
}

function summaryOf({ settings, profiles, where }: Configured): string {
  const { agent, verifiers, checks = [], approval } = settings;
  const names = [...verifiers, ...checks].map(({ name }) => name);
  return [
    `agent ${agent.use}`,
    ...(profiles.length === 0 ? [] : [`worker profiles ${profiles.map(({ name }) => name).join(', ')}`]),
    ...stagesOf({ settings, profiles }),
    names.length === 0 ? 'no verifiers, so only people judge the work' : `verifiers ${names.join(', ')}`,
    `${whoApproves(approval)}, then ${finishes[approval.finish]}`,
    `default branch ${where.ref}`,
  ].join('; ');
}

/** Where an attempt has more than the one stage that it always has, or somebody else reads its work. */
function stagesOf({ settings, profiles }: Pick<Configured, 'settings' | 'profiles'>): readonly string[] {
  const { stages, review, pipelines = {} } = settings;
  const named = stages?.map(({ name, agent, approve }) =>
    [name, agent && `by ${nameOfAgent(agent, profiles)}`, approve && '(people approve it)']
      .filter((word) => typeof word === 'string')
      .join(' '),
  );
  const chosen = Object.keys(pipelines);
  return [
    ...(named === undefined ? [] : [`stages ${named.join(', ')}`]),
    ...(review === undefined ? [] : [`a second opinion from ${nameOfAgent(review, profiles)}`]),
    ...(chosen.length === 0 ? [] : [`pipelines ${chosen.join(', ')} for tasks that choose one`]),
  ];
}

/** The models that are named where `limits.cost_usd` holds, and that it cannot hold for. */
function unpricedIn(configured: Configured, own?: readonly Price[]): readonly string[] {
  const prices = pricesWith(own);
  const { settings } = configured;
  const others = otherAgents(configured).map(({ agent }) => withProfile(settings, agent));
  const models = [settings, ...others].flatMap(({ agent, limits }) =>
    limits.cost_usd !== undefined && 'model' in agent && agent.model !== undefined ? [agent.model] : [],
  );
  return [...new Set(models)]
    .filter((model) => prices.costOf(model, noTokens) === undefined)
    .map(
      (model) =>
        `The price of ${model} is not known, so \`limits.cost_usd\` does not bound it; ` +
        "it does where the operator's file has a price under `prices`, and `limits.tokens` always does.",
    );
}

const noTokens: Tokens = { input: 0, cached_input: 0, cache_write: 0, long_cache_write: 0, output: 0 };

function whoApproves({ mode, required }: Configured['settings']['approval']): string {
  const people = required === 1 ? '1 approval' : `${required} approvals`;
  if (mode === 'manual') return people;
  return `mode ${mode} or ${people} (in the Action alone people always decide)`;
}

const finishes: { readonly [F in Configured['settings']['approval']['finish']]: string } = {
  ready: 'ready for review',
  merge: 'merged',
  'auto-merge': 'merged by GitHub',
};

function reportOf({ file, problems, says, notices = [] }: CheckedFile): string {
  const noted = notices.map((notice) => `${notice}\n`).join('');
  if (problems.length === 0) return `${file} is valid${says === '' ? '' : `: ${says}`}.\n${noted}`;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return `${file} has ${count}:\n${problems.map((problem) => `${problemLines(problem)}\n`).join('')}`;
}

function jsonOf(checked: readonly CheckedFile[]): string {
  const files = checked.map(({ file, problems, notices = [] }) => ({ file, problems, notices }));
  return `${JSON.stringify({ version: 1, files }, null, 2)}\n`;
}
