import { setTimeout } from 'node:timers/promises';
import { fencedBlock, printed, readTaskDocuments } from '../../config/tasks/task-documents.ts';
import { composed, heardText } from '../../doors/speech/compose-comment.ts';
import { type Posted, post } from '../../doors/speech/post-comment.ts';
import { blockIn } from '../../github/markdown/task-blocks.ts';
import { oneTask, type WrittenTask } from '../../steering/commands/spec.ts';
import { cut, oneLine } from '../../words/parts/sanitize.ts';
import type { CommandFile } from '../terminal/command-file.ts';
import { formatOf, forTerminal, outputOption, print } from '../terminal/command-output.ts';
import { Ended, exitCodes, UsageError } from '../terminal/exit.ts';
import { type Person, personOn } from '../terminal/signed-in-person.ts';
import { type RepositoryPlace, repositoryNamed, runName } from '../terminal/which-run.ts';
import { notWaitedFor, untilInterrupted, waitingOptions, waitOf } from './say-command.ts';
import { contentOf } from './steering-commands.ts';

interface Options {
  readonly repo?: string;
  readonly prompt?: string;
  readonly file?: string;
  readonly issue?: string;
  readonly title?: string;
  readonly verifier?: readonly string[];
  readonly agent?: string;
  readonly approval?: string;
  readonly requireApproval?: boolean;
  readonly wait: string | false;
  readonly output: string;
}

/** Begins a run, with an issue that is there or one that it makes. */
export const run: CommandFile<Options> = {
  about:
    'Begins a run: opens an issue with the task as you, or takes one that is there, and posts `/run` on it with ' +
    'what the task tightens. It waits for the pull request, and prints its address.',
  takes: (command) => {
    command
      .option('--repo <owner/name>', 'the repository (default: that of the clone in this folder)')
      .option('-p, --prompt <text>', 'what is to be done; - reads it from stdin')
      .option('-f, --file <file>', 'the task as YAML, as docs/tasks.md describes it; - is stdin')
      .option('--issue <n>', 'an issue that is there, in place of a new one')
      .option('--title <text>', 'the title of the new issue (default: the first line of the task)')
      .option('--verifier <name:command...>', 'another verifier that has to pass')
      .option('--agent <name>', 'the agent, or one under `agents` of the configuration')
      .option(
        '--approval <mode>',
        'who decides, where that is stricter: manual, auto or confidence_threshold',
      )
      .option('--require-approval', 'people decide, as with --approval manual');
    waitingOptions(outputOption(command), '2m');
  },
  examples: {
    'run --repo acme/api -p "Round to whole cents"': 'a new issue and its run',
    'run --issue 12 --verifier "lint:npm run lint" --require-approval': 'an issue of this clone',
    'run -f task.yaml': 'a task that is written down',
  },
  run: begin,
};

const fields = ['repository', 'issue', 'status', 'comment', 'run', 'pull_request'];

async function begin(options: Options): Promise<number> {
  formatOf(options.output, fields);
  const waitMs = waitOf(options.wait);
  const { title, words, block } = taskOf(options);
  const repository = await repositoryNamed(options.repo);
  const person = await personOn(repository.web);
  return untilInterrupted(async (signal) => {
    const number = Number(options.issue ?? (await openIssue(person, repository, { title, body: words })));
    // The words are in the new issue.
    const task = [...(options.issue === undefined ? [] : [words]), block]
      .filter((part) => part !== '')
      .join('\n\n');
    const text = commentFor(task, block);
    const { owner, repo } = repository;
    const posted = await post({ person: person.octokit, owner, repo, number, text }).catch(
      (cause: unknown) => {
        throw new Error(`issue ${owner}/${repo}#${number} is there, but \`/run\` could not be posted on it`, {
          cause,
        });
      },
    );
    const pull =
      waitMs === undefined ? undefined : await pullOf(repository, number, posted, person, { waitMs, signal });
    const value = {
      ...{ repository: `${owner}/${repo}`, issue: number, comment: posted.html_url },
      status: pull === undefined ? 'posted' : 'started',
      run: pull === undefined ? null : runName({ ...repository, number: pull.number }),
      pull_request: pull?.html_url ?? null,
    };
    print(options.output, { value, fields, text: () => pull?.html_url ?? `Posted ${posted.html_url}` });
    return exitCodes.done;
  });
}

/** Everything that is wrong with the task is told before anything is posted. Throws `UsageError`. */
function taskOf(options: Options) {
  const { file, issue } = options;
  if (file === '-' && options.prompt === '-') throw new UsageError('stdin can be only one of -p and -f');
  if (issue !== undefined && !/^[1-9]\d{0,8}$/.test(issue))
    throw new UsageError(`--issue is ${JSON.stringify(issue)}: expected its number, as in --issue 12`);
  const written = file === undefined ? {} : taskIn(contentOf(file));
  const { title, description = '', overrides, ...task } = written;
  if (options.prompt !== undefined && description !== '')
    throw new UsageError('the file has a description, so -p is too much');
  const prompt = options.prompt === '-' ? contentOf('-') : options.prompt;
  const words = heardText(prompt ?? description);
  if (words === '' && issue === undefined)
    throw new UsageError('it needs a task, as in -p "Round to whole cents" or -f task.yaml');
  const document = printed({ ...task, ...overrides, ...tightened(options) });
  // It is empty if the task says nothing besides its words.
  const block = document === '' ? '' : fencedBlock([document]);
  if (document !== '') taskIn(document);
  return {
    title: options.title ?? title ?? cut(oneLine(words.split('\n', 1)[0] ?? '', 200), 120),
    words,
    block,
  };
}

function tightened({ verifier = [], agent, approval, requireApproval }: Options) {
  return {
    ...(verifier.length > 0 && { verifiers: verifier.map(verifierIn) }),
    ...(agent !== undefined && { agent }),
    ...(approval !== undefined && { approval: { mode: approval } }),
    ...(requireApproval && { require_approval: true }),
  };
}

function verifierIn(text: string): { readonly name: string; readonly run: string } {
  const [, name, run] = /^([^:]+):(.+)$/s.exec(text) ?? [];
  if (name !== undefined && run !== undefined) return { name: name.trim(), run: run.trim() };
  throw new UsageError(
    `--verifier is ${JSON.stringify(text)}: expected name:command, as in --verifier "lint:npm run lint"`,
  );
}

function taskIn(document: string): WrittenTask {
  const read = readTaskDocuments(document, true);
  const task = 'problem' in read ? read : oneTask(read.tasks);
  if ('problem' in task) throw new UsageError(task.problem);
  return task;
}

/** The comment, of which Coxswain reads exactly this task: its words, and the block that was checked. */
function commentFor(task: string, block: string): string {
  const text = composed({ type: 'run', task });
  const { read } = blockIn(task);
  const meant =
    block === ''
      ? undefined
      : JSON.stringify(readTaskDocuments(block.split('\n').slice(1, -1).join('\n'), true));
  if (JSON.stringify(read) === meant) return text;
  throw new UsageError('the words of the task have a block of their own: put all of it into one, with -f');
}

async function openIssue(
  { octokit }: Person,
  { owner, repo }: RepositoryPlace,
  words: { readonly title: string; readonly body: string },
): Promise<number> {
  return (await octokit.rest.issues.create({ owner, repo, ...words })).data.number;
}

const pollMs = 1_000;

/** The pull request of the run. Throws why there is none. */
async function pullOf(
  { owner, repo }: RepositoryPlace,
  issue: number,
  posted: Posted,
  { octokit }: Person,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
) {
  const over = performance.now() + waitMs;
  const newest = { owner, repo, state: 'all', sort: 'created', direction: 'desc' } as const;
  for (;;) {
    const { data } = await octokit.rest.pulls.list(newest);
    const found = data.find(({ body, created_at }) => created_at >= posted.created_at && closes(body, issue));
    if (found !== undefined) return found;
    const refusal = await refusalOf({ owner, repo }, issue, { octokit, posted });
    if (refusal !== undefined) throw new Ended(exitCodes.refused, `${refusal} (${posted.html_url})`);
    if (performance.now() > over)
      throw new Ended(
        exitCodes.waiting,
        `posted ${posted.html_url}; there is no pull request yet: coxswain runs --repo ${owner}/${repo}`,
      );
    await setTimeout(pollMs, undefined, { signal }).catch(() => {
      throw notWaitedFor(posted, signal);
    });
  }
}

/** Whether it begins as the description of the issue's run does. */
function closes(body: string | null, issue: number): boolean {
  return new RegExp(`^Closes #${issue}\\b`).test(body ?? '');
}

/** What Coxswain answers to a request that it refuses, which it marks with a reaction. */
async function refusalOf(
  place: { readonly owner: string; readonly repo: string },
  issue_number: number,
  { octokit, posted }: { readonly octokit: Person['octokit']; readonly posted: Posted },
): Promise<string | undefined> {
  const { comment_id, created_at: since } = posted;
  const { data: comment } = await octokit.rest.issues.getComment({ ...place, comment_id });
  if ((comment.reactions?.confused ?? 0) === 0) return undefined;
  const { data } = await octokit.rest.issues.listComments({ ...place, issue_number, since });
  const reply = data.find(({ id, user }) => id > comment_id && user?.type === 'Bot');
  return reply && forTerminal(reply.body ?? '');
}
