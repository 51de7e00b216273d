import { configPath } from '../config/schema.ts';
import { look } from '../onboarding/look.ts';
import { type ProfileName, profileNames, profiles } from '../profiles/index.ts';
import { askGitHub, type OnGitHub } from './init/ask-github.ts';
import { remainingSteps } from './init/remaining-steps.ts';
import { fileText, findingsText, isAnswerable, printable, proposalText } from './init/report.ts';
import { configuredAgent, wantedFiles, workflowPath } from './init/wanted-files.ts';
import { type ComparedFile, compareAll, writeAll } from './init/write-files.ts';
import { ownPackage, releaseOf } from './own-package.ts';
import { askAgent, askYes, Conversation } from './terminal/ask.ts';
import { type Clone, cloneAt, filesIn } from './terminal/clone.ts';
import { type CommandFile, nameOption } from './terminal/command-file.ts';
import { UsageError } from './terminal/exit.ts';
import { awaitInterruption } from './terminal/interruption.ts';

/** `coxswain init`. */
export const init: CommandFile<Options> = {
  about:
    'Sets up your own repository for Coxswain: looks at what it is made of, asks which agent works here, shows ' +
    `what it would write, and writes ${configPath} and, for GitHub Actions, ${workflowPath}. Run it in a clone. ` +
    'It runs nothing of yours, reaches GitHub only with --check, and replaces a file only with --force.',
  takes: (command) =>
    command
      .option('-y, --yes', 'ask nothing: Claude Code, unless --agent says otherwise')
      .option('--agent <name>', profileNames.join(', '))
      .option('--app', 'no workflow: an App of yours works on the repository (`coxswain setup`)')
      .option(
        '--action <owner/name@ref>',
        'the release of Coxswain that the workflow uses',
        releaseOf(ownPackage()),
      )
      .option('--repo <owner/name>', 'the repository on GitHub, if no remote `origin` names it')
      .option('--force', 'replace files that are there and differ')
      .option('--check', 'ask GitHub, with your token in GH_TOKEN, what of the rest is done already'),
  examples: { init: 'ask, show, and write', 'init --yes --agent codex': 'ask nothing' },
  run: setUpHere,
};

interface Options {
  readonly agent?: string;
  readonly yes?: boolean;
  readonly app?: boolean;
  readonly action: string;
  readonly repo?: string;
  readonly force?: boolean;
  readonly check?: boolean;
}

async function setUpHere(values: Options): Promise<number> {
  const { agent: named } = values;
  const agent = named === undefined ? undefined : nameOption('--agent', named, profileNames);
  checkForm('--action', values.action, actionForm);
  checkForm('--repo', values.repo, repositoryForm);
  if (!values.yes) requireTerminal();
  const clone = await cloneAt(process.cwd(), values.repo);
  const known = values.check ? await askGitHub(clone) : undefined;
  const conversation = values.yes
    ? undefined
    : new Conversation({ input: process.stdin, output: process.stdout });
  try {
    return await setUpClone(clone, { ...values, agent, known, conversation });
  } finally {
    conversation?.close();
  }
}

interface Wishes extends Omit<Options, 'agent'> {
  readonly agent: ProfileName | undefined;
  readonly known: OnGitHub | undefined;
  /** With whoever has to agree; nobody has to with `--yes`. */
  readonly conversation: Conversation | undefined;
}

async function setUpClone(clone: Clone, { conversation, known, ...wishes }: Wishes): Promise<number> {
  const { app = false, action, force = false } = wishes;
  const findings = await look(filesIn(clone.root));
  process.stdout.write(findingsText(clone, findings));
  const usual = (await configuredAgent(clone)) ?? 'claude';
  const agent = wishes.agent ?? (conversation ? await askAgent(conversation, usual) : usual);
  const compared = await compareAll(clone.root, await wantedFiles(clone, { findings, agent, app, action }));
  const writing = compared.filter(({ state }) => state === 'missing' || (state === 'different' && force));
  if (conversation && writing.length > 0 && !(await isAgreed(conversation, writing))) {
    process.stdout.write('Nothing was written.\n');
    return 1;
  }
  await writeUninterrupted(clone.root, writing, force);
  process.stdout.write(`\n${compared.map((file) => fileText(file, force)).join('')}`);
  // What was left as it is counts.
  const working = (await configuredAgent(clone)) ?? agent;
  const steps = await remainingSteps({ clone, findings, agent: profiles[working], app, known });
  process.stdout.write(printable(steps));
  return 0;
}

/** Whoever interrupts it now has all files or none, whole. */
async function writeUninterrupted(
  root: string,
  files: readonly ComparedFile[],
  replace: boolean,
): Promise<void> {
  const interruption = awaitInterruption();
  try {
    await writeAll(root, files, { replace });
  } finally {
    interruption.stopListening();
  }
}

function isAgreed(conversation: Conversation, files: readonly ComparedFile[]): Promise<boolean> {
  for (const file of files) conversation.tell(proposalText(file));
  conversation.tell('\n');
  return askYes(conversation, `Write ${files.map(({ path }) => path).join(' and ')}?`);
}

interface Form {
  readonly pattern: RegExp;
  readonly expected: string;
}

const actionForm: Form = {
  pattern: /^[\w-]+\/[\w./-]+@[\w./-]+$/,
  expected: 'owner/name@ref, as in acme/coxswain@v1',
};
const repositoryForm: Form = { pattern: /^[\w-]+\/[\w.-]+$/, expected: 'owner/name, as in acme/api' };

function checkForm(option: string, value: string | undefined, { pattern, expected }: Form): void {
  if (value === undefined || pattern.test(value)) return;
  throw new UsageError(`${option} is ${JSON.stringify(value)}: expected ${expected}`);
}

function requireTerminal(): void {
  if (isAnswerable()) return;
  throw new UsageError(
    'it asks which agent works here and whether to write, but this is not a terminal: use --yes, with --agent for an agent other than claude',
  );
}
