import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { GitHubReader } from '../../doors/reading/from-github.ts';
import { ServerFault, ServerReader } from '../../doors/reading/from-server.ts';
import { NotAvailable, type RunReader } from '../../doors/reading/reader.ts';
import { GitError } from '../../git/git.ts';
import { inTemporaryFolder } from '../../git/temporary-folder.ts';
import { awaitInterruption, Ended, exitCodeFor, exitCodes } from '../terminal/exit.ts';
import { givenEnvironment } from '../terminal/own-environment.ts';
import { type Person, serverNamed } from '../terminal/signed-in-person.ts';

/** Reads as this person: from the server that they have named, or else from GitHub and Git alone. */
export async function withReader<T>(
  person: Person,
  { server }: { readonly server?: string | undefined },
  use: (reader: RunReader) => Promise<T>,
): Promise<T> {
  const address = serverNamed(server);
  if (address === undefined) return withGitHub(person, use);
  return explained(() => use(new ServerReader({ address, token: person.token })));
}

/** Reads from GitHub and Git in any case. What is fetched for it is removed, also after Ctrl-C. */
export function withGitHub<T>(person: Person, use: (reader: GitHubReader) => Promise<T>): Promise<T> {
  const { COXSWAIN_APP: app, XDG_CACHE_HOME: caches } = givenEnvironment();
  const cache = join(caches || join(homedir(), '.cache'), 'coxswain');
  return inTemporaryFolder('reading', async (scratch) => {
    const interruption = awaitInterruption();
    void interruption.signal.then((signal) => {
      rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
      process.exit(exitCodeFor(signal));
    });
    const reader = new GitHubReader({ ...person, scratch, cache, app: app || undefined });
    return explained(() => use(reader)).finally(() => interruption.stopListening());
  });
}

/** Says what could not be had, and whether it may be had later. */
async function explained<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (fault) {
    if (fault instanceof NotAvailable) throw new Ended(exitCodes.refused, fault.message, { cause: fault });
    if (fault instanceof ServerFault) {
      const code = fault.retriable ? exitCodes.unreachable : exitCodes.refused;
      throw new Ended(code, fault.message, { cause: fault.cause });
    }
    if (!(fault instanceof Error && [fault, fault.cause].some(isUnreachable))) throw fault;
    throw new Ended(exitCodes.unreachable, `Git cannot reach GitHub: ${fault.message}`, { cause: fault });
  }
}

function isUnreachable(fault: unknown): boolean {
  const words = /Could not resolve host|Failed to connect|Connection (?:refused|reset|timed out)/i;
  return fault instanceof GitError && (fault.exitCode === null || words.test(fault.stderr));
}
