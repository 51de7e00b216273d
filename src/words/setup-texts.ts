import { code, codeInCell, fenced, mention, plain, said } from './parts/sanitize.ts';

/**
 * The branch on which the App proposes a configuration. It is not below `coxswain/`, where it would be taken
 * for that of a run.
 */
export const setupBranch = 'coxswain-setup';

/** The title of the pull request that proposes a configuration. */
export const setupTitle = 'Configure Coxswain';

/** What there is to say about the proposal of a configuration. */
export interface ProposedSetup {
  readonly text: string;
  readonly path: string;
  readonly branch: string;
  /** The agent as its makers write it; undefined if the operator has chosen it. */
  readonly agent: string | undefined;
  /** Each is a short phrase, such as `TypeScript with npm`. */
  readonly found: readonly string[];
  readonly setup: readonly SetupLine[];
  readonly verifiers: readonly (SetupLine & { readonly name: string })[];
  /** Sentences without their full stops. */
  readonly notes: readonly string[];
  /** Whether nothing can be merged into the default branch without the check `Coxswain`. */
  readonly isGated: boolean;
}

interface SetupLine {
  readonly run: string;
  readonly from: string;
}

/** The body of the pull request, which says who asked for the run that needs a configuration, and where. */
export function setupBody(
  setup: ProposedSetup,
  { login, number }: { readonly login: string; readonly number: number | undefined },
): string {
  const where = number === undefined ? '' : ` in #${number}`;
  return `${mention(login)} asked for a run${where}, and a run needs a configuration. This adds one, ${code(setup.path)}, and nothing else. It was made from the files on ${code(setup.branch)}; no command in it has been run.

### What was found

${foundText(setup)}

### What each line does

${linesTable(setup)}

### After merging

${where === '' ? `Comment ${code('/run')} on an issue` : `Comment ${code('/run')}${where} again`}, and a coding agent starts working on a draft pull request. It is never merged unless a person approves it there.
${passingText(setup)}

### To change it

Edit the file here, on the branch ${code(setupBranch)}, or later on ${code(setup.branch)}: only the file on ${code(setup.branch)} counts. ${code('coxswain check')} tells you whether the file is valid.
If you do not want it, close this pull request: it will not be opened again.
${gateText(setup)}`;
}

function passingText({ verifiers, branch }: ProposedSetup): string {
  return verifiers.length === 0
    ? 'Its confidence stays at 0.79 or below until you add a verifier.'
    : `Each verifier should already pass on ${code(branch)}: if one fails there, no work can ever be green.`;
}

function foundText({ found, verifiers, notes }: ProposedSetup): string {
  const what = found.length === 0 ? 'No language that Coxswain knows.' : `${plain(found.join(', '))}.`;
  const remarks = said([
    verifiers.length === 0 &&
      'No test command was found. Until there is a verifier, only people judge the work.',
    ...notes.map((note) => `${plain(note, 500)}.`),
  ]);
  return [what, ...remarks.map((remark) => `- ${remark}`)].join('\n');
}

function linesTable({ agent, setup, verifiers }: ProposedSetup): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = [
    row([
      '`agent`',
      agent === undefined
        ? 'the one that the operator of this App has chosen'
        : `${plain(agent)} does the work`,
      '',
    ]),
    ...setup.map(({ run, from }) =>
      row([codeInCell(run), 'prepares the checkout, before the agent and before the verifiers', plain(from)]),
    ),
    ...verifiers.map(({ name, run, from }) =>
      row([
        codeInCell(run),
        `is the verifier ${codeInCell(name)}: its exit code says whether the work is right`,
        plain(from),
      ]),
    ),
  ];
  return ['| | what it does | from |', '|---|---|---|', ...rows].join('\n');
}

function gateText({ isGated, branch }: ProposedSetup): string {
  if (!isGated) return '';
  return `
> The check ${code('Coxswain')} is required on ${code(branch)}. It is for runs, and this pull request is not one, so the check will never report: someone who can bypass the rule has to merge this, or lift the rule temporarily. Later, ${code('others: pass')} in the configuration gives the check to pull requests from people as well.
`;
}

export type SetupOutcome =
  | { readonly outcome: 'open' | 'merged' | 'closed'; readonly number: number }
  /** A branch of that name is there which is not ours. */
  | { readonly outcome: 'taken' }
  /** GitHub did not let us; `reason` is part of a sentence. */
  | { readonly outcome: 'refused'; readonly reason: string };

/** The reply to a request for a run where there is no configuration. */
export function setupReply(
  outcome: SetupOutcome,
  { path, branch, text }: Pick<ProposedSetup, 'path' | 'branch' | 'text'>,
): string {
  const missing = `There is no ${code(path)} on ${code(branch)}`;
  const notYet = `${missing} yet, so no run was started`;
  const byHand = `To add it yourself, commit this as ${code(path)} to ${code(branch)}, then try again:\n\n${fenced(text, 'yaml')}`;
  switch (outcome.outcome) {
    case 'open':
      return `${notYet}. #${outcome.number} proposes one that fits this repository: review it, merge it, and use ${code('/run')} here again.`;
    case 'merged':
      return `${missing}, although #${outcome.number}, which added it, was merged. So no run was started. ${byHand}`;
    case 'closed':
      return `${missing}, so no run was started. #${outcome.number} proposed one and was closed, so it is not proposed again. ${byHand}`;
    case 'taken':
      return `${notYet}. Coxswain would propose one on the branch ${code(setupBranch)}, but someone else has created a branch with that name, or one below it. ${byHand}`;
    case 'refused':
      return `${notYet}, and proposing one failed: ${plain(outcome.reason, 1000)}. ${byHand}`;
  }
}
