import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git, type Remote } from '../../src/git/git.ts';

/** Real smart HTTP: `git http-backend` behind a small server on loopback. */
export interface GitServer {
  readonly root: string;
  readonly remote: Remote;
  /** The bare repository that is served. */
  readonly repository: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  /** Injects the failure into the next request that matches. */
  failNext(pattern: RegExp, failure: InjectedFailure): void;
  /** Never responds to the next request that matches; resolves when it has arrived. */
  hold(pattern: RegExp): Promise<void>;
  /** Sets a server-side hook; an empty script removes it. */
  hook(name: 'update' | 'pre-receive', script: string): Promise<void>;
  /** Runs Git in the served repository. */
  git(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** `cut_after`: the connection breaks after the request is processed. `first`: runs before the request. */
export type InjectedFailure =
  | 'cut_before'
  | 'cut_after'
  | { readonly held: () => void }
  | { readonly first: () => Promise<unknown> }
  | { readonly status: number; readonly location?: string };

export interface ServerOptions {
  /** If given, every request must contain it. */
  readonly token?: string;
  /** A repository to copy at the start. */
  readonly copyOf?: string;
}

export async function startGitServer({ token, copyOf }: ServerOptions = {}): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'coxswain-git-'));
  const repository = join(root, 'repo.git');
  await (copyOf ? cp(copyOf, repository, { recursive: true }) : initialize(repository));
  const requests: string[] = [];
  const failures: { pattern: RegExp; failure: InjectedFailure }[] = [];
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    const index = failures.findIndex(({ pattern }) => pattern.test(line));
    const [found] = index === -1 ? [] : failures.splice(index, 1);
    handle({ request, response, root, token }, found?.failure);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${portOf(server)}/repo.git`;
  const run = (...args: string[]): Promise<string> =>
    git(args, { cwd: repository, env: { GIT_DIR: repository } });
  return {
    root,
    repository,
    requests,
    remote: token === undefined ? { url } : { url, token: async () => token },
    failNext: (pattern, failure) => failures.push({ pattern, failure }),
    hold: (pattern) => new Promise((held) => failures.push({ pattern, failure: { held } })),
    hook: (name, script) => writeHook(join(repository, 'hooks', name), script),
    git: async (...args) => (await run(...args)).trim(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function initialize(repository: string): Promise<void> {
  await git(['init', '--quiet', '--bare', '--template=', repository]);
  await appendFile(join(repository, 'config'), '[http]\n\treceivepack = true\n[receive]\n\tautogc = false\n');
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly root: string;
  readonly token: string | undefined;
}

function handle(exchange: Exchange, failure: InjectedFailure | undefined): void {
  const { request, response, token } = exchange;
  const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  if (token !== undefined && request.headers.authorization !== expected) {
    response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
  } else if (failure === 'cut_before') {
    request.socket.destroy();
  } else if (typeof failure === 'object' && 'held' in failure) {
    failure.held();
  } else if (typeof failure === 'object' && 'first' in failure) {
    void failure.first().then(() => backend(exchange, false));
  } else if (typeof failure === 'object') {
    response.writeHead(failure.status, failure.location ? { location: failure.location } : {}).end();
  } else {
    backend(exchange, failure === 'cut_after');
  }
}

let knownExecPath: string | undefined;

/** Where Git keeps its own programs: one that is started there needs no other Git to find it. */
function execPath(): string {
  knownExecPath ??= execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
  return knownExecPath;
}

function backend({ request, response, root }: Exchange, cut: boolean): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const child = spawn(join(execPath(), 'git-http-backend'), {
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_USER: 'tester',
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  child.stdin.on('error', () => undefined); // the backend may exit before it has read everything
  request.pipe(child.stdin);
  respond(child, response, cut);
}

/** Turns a CGI response (headers, an empty line, a body) into an HTTP response. */
function respond(child: ChildProcess, response: ServerResponse, cut: boolean): void {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    if (cut) return void response.socket?.destroy();
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const headers = output
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': '));
    const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.end(output.subarray(end + 4));
  });
}

async function writeHook(path: string, script: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  if (script === '') return rm(path, { force: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

function portOf(server: Server): number {
  // The address of a server that listens on a port is an object, not a pipe's name.
  return (server.address() as AddressInfo).port;
}
