import { configPath } from '../config/schema.ts';
import type { Findings } from '../onboarding/ecosystems/ecosystem.ts';
import { look } from '../onboarding/look-at-repository.ts';
import { type ProfileName, profileNames, profiles } from '../profiles/index.ts';
import {
  type ComparedFile,
  compareAll,
  configuredAgent,
  wantedFiles,
  workflowPath,
  writeAll,
} from './init/init-files.ts';
import { askGitHub, type OnGitHub, remainingSteps } from './init/remaining-steps.ts';
import { ownPackage, releaseOf } from './own-package.ts';
import { askYes, Conversation, isAnswerable } from './terminal/ask-person.ts';
import { type Clone, cloneAt, filesIn } from './terminal/clone.ts';
import { type CommandFile, nameOption } from './terminal/command-file.ts';
import { indented, printable } from './terminal/command-output.ts';
import { awaitInterruption, UsageError } from './terminal/exit.ts';

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
  /** Whoever has to agree does it here; with `--yes` nobody has to. */
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

/** Asks which agent is to work; the usual one is what an empty answer means. */
export async function askAgent(conversation: Conversation, usual: ProfileName): Promise<ProfileName> {
  const rows = profileNames.map((name, index) => {
    const { title, keys } = profiles[name];
    return `  ${index + 1}  ${name.padEnd(9)} ${title}, with the key ${keys[0] ?? ''}\n`;
  });
  conversation.tell(`\nWhich agent works here?\n${rows.join('')}`);
  for (;;) {
    const answer = (await conversation.ask(`A number or a name [${usual}]: `)).toLowerCase();
    if (answer === '') return usual;
    const chosen = profileNames[Number(answer) - 1] ?? profileNames.find((name) => name === answer);
    if (chosen !== undefined) return chosen;
    conversation.tell(`There is no agent ${JSON.stringify(answer)} in this list.\n`);
  }
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

/** What was found in a repository, for a terminal. */
function findingsText({ name, root }: Clone, { found, setup, verifiers, notes }: Findings): string {
  const what = found.length === 0 ? 'no language that init knows' : found.join(', ');
  const rows = [
    ...setup.map(({ run, from }) => ['setup', run, from] as const),
    ...verifiers.map(({ name: verifier, run, from }) => [verifier, run, from] as const),
  ];
  const widths = [0, 1].map((column) =>
    Math.min(44, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  );
  const lines = rows.map(([first, run, from]) => {
    return `  ${first.padEnd(widths[0] ?? 0)}  ${run.padEnd(widths[1] ?? 0)}  ${from}`;
  });
  const none =
    verifiers.length === 0
      ? [
          '  No test command was found. Without a verifier only people judge the work, and its confidence',
          '  stays at 0.79 or below.',
        ]
      : [];
  const remarks = notes.map((note) => `  Note: ${note}.`);
  const parts = [lines, none, remarks].filter((part) => part.length > 0).map((part) => part.join('\n'));
  return `${[`${name} (${root}): ${what}.`, ...parts].map(printable).join('\n\n')}\n`;
}

/** What happened, or did not happen, to a file. */
export function fileText({ path, state, difference }: ComparedFile, replaced: boolean): string {
  switch (state) {
    case 'missing':
      return `Wrote ${path}.\n`;
    case 'same':
      return `${path} already exists, exactly like this.\n`;
    case 'different':
      if (replaced) return `Replaced ${path}.\n`;
      return `${path} already exists and was left as it is; --force replaces it. What init would change:\n\n${printable(indented(difference))}\n`;
  }
}

/** A file before it is written: its text, or how it would change. */
export function proposalText({ path, text, state, difference }: ComparedFile): string {
  const head = state === 'missing' ? path : `${path}, as it would change`;
  return `\n${head}:\n\n${printable(indented(difference || text))}`;
}
