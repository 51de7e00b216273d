import { type Connection, connect } from '../../github/octokit/connect.ts';
import { runProcessGroup } from '../../process/process-group.ts';
import { Ended, exitCodes, UsageError } from './exit.ts';
import { apiOf, givenEnvironment, givenToken, webFrom } from './own-environment.ts';

/** Whoever sits at this terminal, as one GitHub knows them. */
export interface Person {
  /** Where this GitHub is, such as `https://github.com`. */
  readonly web: string;
  readonly token: string;
  readonly octokit: Connection;
}

const ghMs = 10_000;

/**
 * The person on this GitHub: by the token that they have set for it, or by what `gh` knows of this very host.
 * Other people may have named the host, such as with a clone's remote: a token that could be of any host goes
 * only to those that the person has named.
 */
export async function personOn(web: string): Promise<Person> {
  const variables = givenEnvironment();
  const { host, hostname } = new URL(web);
  requireSafe(web, 'a GitHub is reached');
  const isNamed = web === 'https://github.com' || web === webFrom(variables);
  const token = (isNamed && givenToken(web, variables)) || (await tokenOfGh(host));
  if (token === undefined) {
    const where = hostname === 'github.com' ? '' : ` --hostname ${host}`;
    throw new Ended(
      exitCodes.refused,
      `there is no token of yours for ${host}: run \`gh auth login${where}\``,
    );
  }
  return { web, token, octokit: connect({ token, baseUrl: apiOf(web) }) };
}

/**
 * What `gh auth token` prints; undefined if there is no `gh`, or nobody has signed in to that host with it.
 */
async function tokenOfGh(host: string): Promise<string | undefined> {
  const said: Buffer[] = [];
  const end = await runProcessGroup(['gh', 'auth', 'token', '--hostname', host], {
    ...{ cwd: '/', env: givenEnvironment(), timeoutMs: ghMs },
    onStdout: (chunk) => void said.push(chunk),
    onStderr: () => undefined,
  });
  const token = Buffer.concat(said).toString().trim();
  return end.end === 'exited' && end.exitCode === 0 && /^[\w.-]+$/.test(token) ? token : undefined;
}

/**
 * The server that the person has named, without a slash at its end; undefined if they have named none. No
 * file of a repository can name one: it is given their token.
 */
export function serverNamed(option: string | undefined): string | undefined {
  const named = option ?? givenEnvironment()['COXSWAIN_SERVER'];
  if (named === undefined || named === '') return undefined;
  if (!URL.canParse(named))
    throw new UsageError(
      `the server is ${JSON.stringify(named)}: expected an address, as in --server https://coxswain.example.org`,
    );
  requireSafe(named, 'a server is given your token');
  return named.replace(/\/+$/, '');
}

/** Throws `UsageError` where others could read what is sent. */
function requireSafe(address: string, what: string): void {
  const { protocol, hostname } = new URL(address);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback)) return;
  throw new UsageError(`${what} only by https, or by http on this machine, not at ${address}`);
}
