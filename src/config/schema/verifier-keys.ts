import { z } from 'zod';
import type { Settings } from '../../steering/shapes/settings.ts';
import {
  Duration,
  duration,
  expectedGlob,
  flag,
  ifAny,
  key,
  listOf,
  mapping,
  oneOf,
  section,
  settled,
  textLike,
  textOf,
  unique,
  unless,
  wholeNumber,
} from './schema-forms.ts';
import { lowered, type Tightening } from './tightening.ts';

const fileGlobError =
  'a glob such as "spec/**" or "**/*.check.ts": at most 200 characters, with *, **, ?, [a-z] and {a,b}';

/** Each of these makes matching slower; a path has few folders and words. */
const maxStars = 6;

const fileGlob = textOf(1, 200, fileGlobError)
  .refine((glob) => !/[\\()!@+|^$\p{C}]/u.test(glob), { error: fileGlobError })
  .refine((glob) => !glob.startsWith('/'), { error: `${fileGlobError}, relative to the repository` })
  .refine((glob) => (glob.match(/\*+/g) ?? []).length <= maxStars, {
    error: `a glob with at most ${maxStars} times * or **`,
  })
  .refine((glob) => isBalanced(glob), { error: ({ input }) => expectedGlob(input, nestedError) });

const nestedError = 'a glob whose braces and brackets are closed, none inside another and none empty';

function isBalanced(glob: string): boolean {
  const rest = glob.replace(/\[[^[\]{}]+\]/g, '').replace(/\{[^[\]{}]+\}/g, '');
  return !/[[\]{}]/.test(rest);
}

const reportError = `${fileGlobError}, without .. and relative to the repository`;

/** A command writes its reports to files that these globs match. */
const reports = listOf(
  fileGlob.refine((glob) => !glob.split('/').includes('..'), { error: reportError }),
  5,
  'globs',
  `${reportError}; or a list of at most 5 of these`,
)
  .min(1, { error: 'at least one glob' })
  .meta({
    title: 'Reports of tests',
    description:
      'Globs of the reports that the command writes in the form of JUnit, one or a list: people then read which tests failed, on the lines where they did. In a folder, they are `reports/*.xml`, and below it `reports/**/*.xml`. By default they are looked for where the usual test runners write them. The exit code decides all the same.',
    examples: [['build/test-results/**/*.xml']],
    short: 'string',
    long: (written) => (typeof written === 'string' ? [written] : written),
  });

export const shellCommand = z
  .string({ error: 'a shell command' })
  .min(1, { error: 'a shell command' })
  .max(4000, { error: 'a shell command of at most 4000 characters' })
  .refine(doesSomething, {
    error: 'a shell command, not only spaces and comments: that would always succeed',
  });

function doesSomething(command: string): boolean {
  return command.split('\n').some((line) => /^\s*[^\s#]/.test(line));
}

const checkError = 'the name of a check run as GitHub shows it on a commit, at most 200 characters';

/** A run that waited for a check of its own would wait for ever. */
const ownError =
  'a check of another App: those named `Coxswain` are made by the run that would wait for them';

const own = /^coxswain(?:$|\s*[(/])/i;

/** The name of a check run that the repository's own CI makes. */
const checkName = textOf(0, 200, checkError)
  // Characters that nobody sees would make two names look alike.
  .regex(/^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u, { error: checkError })
  .refine((name) => !own.test(name), { error: ownError })
  .meta({
    description:
      'A check of your CI, by the name that GitHub shows on a commit; it is waited for on each head. For GitHub Actions that is the name of the job. Either this or `run`.',
    examples: ['build / test'],
  });

const slugError = 'the slug of an App, as in github.com/apps/<slug>: small letters, digits and hyphens';

/** The App that makes the check. */
const appSlug = key(textLike(/^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/, slugError), {
  description:
    'The App that makes the check, by its slug: `github-actions` for workflows. Required with `check`; a check of that name by another App does not count, and neither does a commit status.',
  examples: ['github-actions'],
});

const nameError = 'a name of letters, digits, dots, hyphens and underscores, at most 50 characters';

/** The name is used for a file in the ledger, for a check run, and in `/approve --despite <name>`. */
const verifierName = key(textLike(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,48}[A-Za-z0-9])?$/, nameError), {
  description: 'A unique name.',
  examples: ['test'],
});

/** One more under a name of its own, listed after those that are there. */
const furtherVerifier: Tightening = {
  told: 'name',
  expected({ name }: WrittenVerifier, _, { verifiers, checks = [] }) {
    const isTaken = [...verifiers, ...checks].some((each) => each.name.toLowerCase() === name.toLowerCase());
    return isTaken ? 'a name that the repository does not use' : undefined;
  },
  applied(asked: WrittenVerifier, settings) {
    const { verifiers, checks = [] } = verifiersFrom([asked]);
    const placed = checks.map((check) => ({ ...check, after: settings.verifiers.length }));
    const all = [...(settings.checks ?? []), ...placed];
    return {
      ...settings,
      verifiers: [...settings.verifiers, ...verifiers],
      ...settled({ checks: ifAny(all) }),
    };
  },
};

/** A command that we run, or a check of the repository's own CI. */
const verifier = mapping(
  {
    name: verifierName,
    run: key(shellCommand.optional(), {
      title: 'Command',
      description:
        'A shell command, run in a clean checkout of the commit. Its exit code decides. Either this or `check`.',
      examples: ['npm test'],
    }),
    check: checkName.optional(),
    app: appSlug.optional(),
    timeout: key(duration({ min: '1s', max: '24h' }).optional(), {
      title: 'Time limit',
      description:
        'How long a command may run, by default `10m`, or how long a check is waited for, by default `30m`; then it fails.',
      examples: ['10m'],
    }),
    required: key(flag().default(true), {
      description: 'Whether the work cannot be approved while it fails.',
      examples: [true],
    }),
    setup: z
      .literal(false, { error: 'false, or no `setup`: it is run once for all other verifiers' })
      .optional()
      .meta({
        title: 'Without set-up',
        description:
          'With `false` the command runs before set-up, in the bare checkout with an empty home: nothing of the branch has been executed yet. The place for linters and scanners that are installed on the machine.',
        examples: [false],
      }),
    after: key(verifierName.optional(), {
      title: 'After',
      description:
        'The verifier listed just before, if this command needs what that one has left, such as a build. Every other verifier begins from what set-up has left.',
      examples: ['build'],
    }),
    report: reports.optional(),
  },
  'a mapping with `name` and either `run`, or `check` and `app`',
)
  .superRefine((written, context) => {
    const problem = problemOf(written);
    if (problem !== undefined) context.addIssue({ code: 'custom', ...problem });
  })
  .meta({ task: furtherVerifier });

interface Deciding {
  readonly run?: string | undefined;
  readonly check?: string | undefined;
  readonly app?: string | undefined;
  readonly setup?: false | undefined;
  readonly after?: string | undefined;
  readonly report?: readonly string[] | undefined;
}

/** What decides is either a command or a check, and a check counts only from one App. */
function problemOf(written: Deciding): { message: string; path: string[] } | undefined {
  const { run, check, app, setup, after } = written;
  if (run !== undefined && check !== undefined)
    return { path: [], message: 'either `run`, a command, or `check`, a check of your CI, not both' };
  if (run !== undefined && app !== undefined)
    return { path: [], message: 'no `app` beside `run`: it says which App makes a `check`' };
  if (app !== undefined && check === undefined)
    return { path: ['check'], message: 'the name of the check run that this App makes' };
  if (run === undefined && check === undefined)
    return { path: ['run'], message: 'a shell command; or `check` and `app`, for a check of your CI' };
  const ofCommand = (['setup', 'after', 'report'] as const).find((key) => written[key] !== undefined);
  if (check !== undefined && ofCommand !== undefined)
    return { path: [ofCommand], message: 'nothing here beside `check`' };
  if (setup !== undefined && after !== undefined)
    return { path: ['after'], message: 'no `after` beside `setup: false`, which runs before all others' };
  if (check === undefined || app !== undefined) return undefined;
  const message = 'the slug of the App that makes this check, because others can use the same name';
  return { path: ['app'], message };
}

type WrittenVerifier = z.output<typeof verifier>;

/** It has no default, so that it can be optional. */
export const verifierList = listOf(
  verifier,
  20,
  'verifiers',
  'a list of verifiers, each with `name` and either `run`, or `check` and `app`',
)
  .superRefine(
    unique(
      'name',
      ({ name }) => name.toLowerCase(),
      (first) => `a unique name: verifiers[${first}] has the same one`,
    ),
  )
  .superRefine((listed, context) => {
    for (const [index, { after }] of listed.entries()) {
      if (after === undefined) continue;
      const before = listed[index - 1];
      if (before?.name === after && before.run !== undefined && before.setup === undefined) continue;
      const message = 'the name of the verifier just before it in the list, one that has set-up';
      context.addIssue({ code: 'custom', path: [index, 'after'], message });
    }
  });

export const writtenVerifiers = key(verifierList.prefault([]), {
  description: 'Commands whose exit codes decide whether the work is correct, and checks of your CI that do.',
  examples: [[{ name: 'test', run: 'npm test' }]],
});

/** The commands, and apart from them the checks of the repository's own CI. */
export function verifiersFrom(written: readonly WrittenVerifier[]): Pick<Settings, 'verifiers' | 'checks'> {
  const verifiers = written.flatMap(
    ({ run, name, timeout = usualTime.command, required, setup, after, report }) =>
      run === undefined ? [] : [settled({ name, run, timeout, required, setup, after, report })],
  );
  const checks = written.flatMap(({ check, app, name, timeout = usualTime.check, required }, index) => {
    if (check === undefined || app === undefined) return [];
    const after = written.slice(0, index).filter(({ run }) => run !== undefined).length;
    return [settled({ name, check, app, timeout, required, after })];
  });
  return settled({ verifiers, checks: ifAny(checks) });
}

const usualTime = { command: new Duration('10m'), check: new Duration('30m') };

/** How work is set up and verified. */
export const verifierKeys = {
  setup: key(listOf(shellCommand, 20, 'commands', 'a list of shell commands').prefault([]), {
    description: 'Shell commands run before the agent and before the verifiers.',
    examples: [['npm ci']],
  }),
  setup_changes: key(listOf(fileGlob, 50, 'globs').prefault([]), {
    title: 'Files that set-up may change',
    description:
      'Globs of files in the repository that set-up may change for the verifiers. All others are put back as the commit has them before the verifiers run, and named.',
    examples: [['src/generated/**']],
  }).transform(ifAny),
  verifiers: writtenVerifiers.transform(verifiersFrom),
  verify_against: key(oneOf(['head', 'merge']).default('head'), {
    title: 'What is verified',
    description:
      'What the verifiers see: the head of the branch, or its merge with the tip of the base, as Git makes it. With `merge`, a conflict is treated as `on_conflict` says, and if the base has moved since, the verifiers run again before the run is finished.',
    examples: ['merge'],
  }).transform(unless('head')),
  flaky: section({
    reruns: key(wholeNumber(0, 3), {
      task: lowered,
      title: 'Runs of a red verifier',
      description:
        'How often a required verifier that failed is run once more on the same files, within its timeout; the same goes for a setup command. A verifier that passes then counts as passed and as flaky: no attempt is spent, people see both results, and nothing proceeds without them.',
      examples: [2],
    }).default(1),
  }).meta({
    title: 'Flaky verifiers',
    description: 'What happens when a verifier is red, and may be so only now and then.',
    examples: [{ reruns: 2 }],
  }),
  on_conflict: key(oneOf(['ask', 'resolve']).default('ask'), {
    title: 'Conflicts with the base',
    description:
      'What happens when Git cannot merge the base, on `/update` or for `verify_against: merge`. With `ask`, people are told which files conflict and who changed them, and decide; `/update --resolve` lets the agent. With `resolve`, the agent resolves them at once, in one attempt that is verified and asked about like any other.',
    examples: ['resolve'],
  }).transform(unless('ask')),
  proof: key(oneOf(['on', 'off']).default('on'), {
    description:
      'Whether the verifiers are run twice more on a change that touches test files: with the test files as they were, and with the new ones on the code without the change. The results are shown, and count for the gate on weakened tests, not for the score.',
    examples: ['off'],
  }),
  tests: key(listOf(fileGlob, 50, 'globs').default([]), {
    title: 'Test files',
    description:
      'Globs of all files that belong to tests: code, snapshots, fixtures, settings of test runners. With none, the usual layouts of many languages.',
    examples: [['spec/**', '**/*.check.ts']],
  }).transform(ifAny),
};
