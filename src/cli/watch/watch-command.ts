import { ServerReader } from '../../doors/reading/from-server.ts';
import type { Speaking } from '../commands/say-command.ts';
import { withGitHub } from '../reading/with-reader.ts';
import { isAnswerable } from '../terminal/ask-person.ts';
import type { CommandFile } from '../terminal/command-file.ts';
import { outputOption, runOption, serverOption } from '../terminal/command-output.ts';
import { UsageError } from '../terminal/exit.ts';
import { givenEnvironment, webFrom } from '../terminal/own-environment.ts';
import { personOn, serverNamed } from '../terminal/signed-in-person.ts';
import { findRun, repositoryNamed } from '../terminal/which-run.ts';
import { Desk, type Watched } from './desk.ts';
import { type Change, changesOf, passing, printAll, printHeard, printRun, rest } from './event-lines.ts';

interface Options {
  readonly run?: string;
  readonly repo?: string;
  readonly output: string;
  readonly server?: string;
}

export const watch: CommandFile<Options> = {
  about:
    'Shows a run, or all that wait for people, as it goes on. Keys settle it: what a key would say is shown first, ' +
    'and posted as you after Enter. Where nobody can press keys, as in a pipe, or with -o json, it prints a line ' +
    'for each event, until the run has ended or Ctrl-C.',
  takes: (command) => {
    runOption(command).option('--repo <owner/name>', 'with --run all: only of this repository');
    serverOption(outputOption(command));
  },
  more: [
    ['--run all', 'every run that waits for people, riskiest first'],
    ['y n s a h q', 'approve, reject with a reason, steer, allow always, hold (pause) a run, quit'],
  ],
  examples: {
    watch: 'the run of the branch that is checked out',
    'watch --run all': 'everything that waits for people',
    'watch --run acme/api#7 -o json | jq .event': 'its events in a script',
  },
  run: watched,
};

async function watched({ run, repo, output, server }: Options): Promise<number> {
  if (output !== 'table' && output !== 'json')
    throw new UsageError(`--output is ${JSON.stringify(output)}: expected table or json`);
  const isAll = run === 'all';
  if (repo !== undefined && !isAll) throw new UsageError('--repo belongs to --run all');
  if (repo !== undefined) await repositoryNamed(repo);
  const address = serverNamed(server);
  const found = isAll
    ? { place: undefined, person: await personOn(webFrom(givenEnvironment())) }
    : await findRun(run);
  const { place, person } = found;
  const from = address === undefined ? undefined : new ServerReader({ address, token: person.token });
  const isDesk = output === 'table' && isAnswerable();
  const code = await withGitHub(person, async (reader) => {
    const speaking = { reader, person };
    const lines = { json: output === 'json' };
    if (isDesk) {
      const what: Watched = place === undefined ? { all: repo, entries: [], marked: 0 } : { one: place };
      return atDesk(speaking, what, from);
    }
    if (place === undefined) return printAll(from ?? reader, repo, lines);
    return from === undefined ? printRun(speaking, place, lines) : printHeard(from, place, lines);
  });
  // What was being waited for would keep the process although the person has quit.
  if (isDesk) process.exit(code);
  return code;
}

/** Shows it until the person quits; the number is the exit code. */
async function atDesk(speaking: Speaking, what: Watched, server: ServerReader | undefined): Promise<number> {
  const stop = new AbortController();
  let code = 0;
  const desk = new Desk(speaking, what, (given) => {
    code = given;
    stop.abort();
  });
  try {
    const reader = server ?? speaking.reader;
    for await (const { unreachable } of changesIn(what, { speaking, server, signal: stop.signal })) {
      if (stop.signal.aborted) break;
      await desk.refresh(reader, unreachable).catch((fault: unknown) => {
        const reason = passing(fault);
        if (reason === undefined) throw fault;
        return desk.refresh(reader, reason);
      });
    }
  } finally {
    desk.close();
  }
  return code;
}

interface Sources {
  readonly speaking: Speaking;
  readonly server: ServerReader | undefined;
  readonly signal: AbortSignal;
}

const searchMs = 15_000;

/** When to look again: a server says it, and GitHub is asked. */
async function* changesIn(what: Watched, { speaking, server, signal }: Sources): AsyncGenerator<Change> {
  if (!('one' in what)) for (; !signal.aborted; await rest(searchMs, signal)) yield {};
  else if (server === undefined) yield* changesOf(speaking.person, what.one, signal);
  else
    for await (const heard of server.events(what.one, signal))
      if ('unreachable' in heard) yield heard;
      else if (heard.event !== 'progress') yield {};
}
