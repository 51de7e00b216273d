import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Actor, accountOf, authenticate, nameOf } from './actors.ts';
import { type Context, fullName, gitDir, type Pusher } from './context.ts';
import { gitEnvironment, type RefChange, runGit } from './git/plumbing.ts';
import { commandsIn, type RefRejection, readReport } from './git/receive.ts';
import { unsignedText, verifiedList } from './git/signatures.ts';
import type { Repository } from './model.ts';
import { mergeReadyPulls } from './operations/merging.ts';
import { refsChanged } from './operations/pushes.ts';
import { covers, mayPush, sees } from './permissions.ts';
import type { ForgeRequest, ForgeResponse, HandledRequest } from './requests.ts';
import { HttpError } from './responses.ts';
import { forcedViolation, pushViolations, signingRule, violationText } from './rules/pushes.ts';

/** A parsed request of the smart HTTP protocol. */
interface GitRequest {
  owner: string;
  name: string;
  /** `info/refs`, `git-upload-pack` or `git-receive-pack`. */
  service: string;
  query: URLSearchParams;
}

export function gitRequestIn(url: URL): GitRequest | undefined {
  const match = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(
    url.pathname,
  );
  if (!match) return undefined;
  const [, owner = '', name = '', service = ''] = match;
  return { owner, name, service, query: url.searchParams };
}

/** Serves Git over HTTP: checks access, runs `git http-backend`, and processes the effects of a push. */
export async function handleGit(context: Context, request: ForgeRequest, url: URL): Promise<HandledRequest> {
  const wanted = gitRequestIn(url);
  if (!wanted) throw new Error(`${url.pathname} is not a Git address`);
  try {
    const actor = authenticate(context, request.headers.authorization);
    const repository = repositoryFor(context, actor, wanted);
    const call = { request, repository, wanted };
    const response =
      wanted.service === 'git-receive-pack'
        ? await runExclusive(repository, () => receive(context, actor, call))
        : await read(context, call);
    return { response, route: 'git', actor: nameOf(actor) };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { response: errorResponse(error), route: 'git', actor: 'unknown' };
  }
}

function repositoryFor(context: Context, actor: Actor, wanted: GitRequest): Repository {
  const repository = context.store.repositoryOnceNamed(wanted.owner, wanted.name);
  const pushing = [wanted.service, wanted.query.get('service')].includes('git-receive-pack');
  if (actor.kind === 'anonymous' && (pushing || !repository || repository.private)) {
    throw new HttpError(401, 'Authentication required');
  }
  if (!repository || !sees(actor, repository)) throw new HttpError(404, 'Repository not found.');
  if (pushing && !mayPush(actor, repository)) {
    throw new HttpError(403, `Permission to ${wanted.owner}/${wanted.name}.git denied to ${nameOf(actor)}.`);
  }
  if (
    repository.private &&
    actor.kind === 'installation' &&
    !covers(actor.permissions, { contents: 'read' })
  ) {
    throw new HttpError(403, 'Resource not accessible by integration');
  }
  return repository;
}

/** In protocol version 2, the first response to a fetch lists capabilities but no refs, so it is constant. */
async function read(context: Context, call: Call): Promise<GitResponse> {
  const { request, repository, wanted } = call;
  const isFixed = wanted.service === 'info/refs' && request.headers['git-protocol'] === 'version=2';
  if (!isFixed || wanted.query.get('service') !== 'git-upload-pack') return backend(context, call);
  const known = capabilities.get(repository);
  if (known !== undefined) return known;
  const response = await backend(context, call);
  if (response.status === 200) capabilities.set(repository, response);
  return response;
}

const capabilities = new WeakMap<Repository, GitResponse>();

interface Call {
  request: ForgeRequest;
  repository: Repository;
  wanted: GitRequest;
}

/** Handles a push: checks its commands, lets Git execute it, and emits its events. */
async function receive(context: Context, actor: Actor, call: Call): Promise<GitResponse> {
  const account = accountOf(actor);
  if (!account) throw new HttpError(401, 'Authentication required');
  const { repository, request } = call;
  const commands = commandsIn(request.body);
  const pusher = { context, repository, sender_id: account.id };
  const check = checkPush(pusher, actor, commands);
  const response = await backend(context, call, check.env);
  if (response.status !== 200) return response;
  const report = readReport(response.body, check.rejectionFor);
  const changes = commands.filter(({ ref }) => report.moved.has(ref)).filter(isChange);
  if (changes.length > 0) {
    await refsChanged(pusher, changes);
    await mergeReadyPulls(context, repository, changes);
  }
  return { ...response, body: report.response };
}

function isChange({ before, after }: RefChange): boolean {
  return before !== after;
}

/** One push at a time per repository, so that events are in the order of the ref updates. */
const queues = new WeakMap<Repository, Promise<unknown>>();

function runExclusive<Value>(repository: Repository, work: () => Promise<Value>): Promise<Value> {
  const result = (queues.get(repository) ?? Promise.resolve()).then(work, work);
  queues.set(repository, result);
  return result;
}

type GitResponse = ForgeResponse & { body: Buffer };

/** Runs `git http-backend`, a CGI program. */
async function backend(context: Context, call: Call, env: Record<string, string> = {}): Promise<GitResponse> {
  const child = spawn(join(await execPath(), 'git-http-backend'), {
    env: gitEnvironment({ ...cgiVariables(context, call), ...env }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => context.observers.log?.(`git: ${String(chunk).trim()}`));
    child.on('error', (cause) => reject(new Error('could not start git http-backend', { cause })));
    child.on('close', () => resolve(parsedCgi(Buffer.concat(stdout))));
    // Git may exit before it has read all input; its output matters, not the broken pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.request.body);
  });
}

let knownExecPath: Promise<string> | undefined;

/** Where Git keeps its own programs. */
function execPath(): Promise<string> {
  knownExecPath ??= runGit(['--exec-path']).then(({ stdout }) => stdout.trim());
  return knownExecPath;
}

function cgiVariables(context: Context, { request, repository, wanted }: Call): Record<string, string> {
  const protocol = request.headers['git-protocol'];
  return {
    GIT_PROJECT_ROOT: join(gitDir(context, repository), '..'),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${repository.id}.git/${wanted.service}`,
    QUERY_STRING: wanted.query.toString(),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    CONTENT_LENGTH: String(request.body.length),
    REMOTE_USER: 'forge',
    REMOTE_ADDR: '127.0.0.1',
    ...(typeof protocol === 'string' ? { GIT_PROTOCOL: protocol } : {}),
  };
}

function parsedCgi(output: Buffer): GitResponse {
  const end = output.indexOf('\r\n\r\n');
  const headers: Record<string, string> = {};
  for (const line of output.toString('latin1', 0, Math.max(end, 0)).split('\r\n')) {
    const [name = '', value = ''] = line.split(/:\s*(.*)/s);
    if (name !== '') headers[name.toLowerCase()] = value;
  }
  const { status, ...rest } = headers;
  const code = end === -1 ? 500 : Number.parseInt(status ?? '200', 10);
  const body = output.subarray(end === -1 ? 0 : end + 4);
  return { status: code, headers: rest, body };
}

function errorResponse(error: HttpError): ForgeResponse {
  const headers: Record<string, string> = { 'content-type': 'text/plain; charset=utf-8' };
  if (error.status === 401) headers['www-authenticate'] = 'Basic realm="GitHub"';
  const text = error.status === 403 ? `remote: ${error.message}\n` : `${error.message}\n`;
  return { status: error.status, headers, body: text };
}

/**
 * Checks the rules that need no objects, and selects those that the hook must check: the input of the update
 * hook, and the messages for the refs that it rejects.
 */
function checkPush(pusher: Pusher, actor: Actor, commands: RefChange[]) {
  const url = `${pusher.context.url}/${fullName(pusher.context, pusher.repository)}`;
  const checked = new Map(
    commands.map((change) => [
      change.ref,
      {
        broken: pushViolations(pusher, change),
        forced: forcedViolation(pusher, change),
        signing: signingRule(pusher, change),
      },
    ]),
  );
  const refsWith = (kind: 'broken' | 'forced' | 'signing') =>
    [...checked]
      .flatMap(([ref, { [kind]: rules = [] }]) => ([rules].flat().length > 0 ? [ref] : []))
      .join(' ');
  const signed = refsWith('signing');
  const guarded = actor.kind === 'installation' && !covers(actor.permissions, { workflows: 'write' });
  return {
    env: {
      FORGE_REFUSED: refsWith('broken'),
      FORGE_NO_FORCE: refsWith('forced'),
      FORGE_SIGNED: signed,
      FORGE_VERIFIED: signed === '' ? '' : verifiedList(pusher.context),
      FORGE_GUARD_WORKFLOWS: guarded ? '1' : '',
    },
    rejectionFor(ref: string, found: { kind: string; detail: string } | undefined): RefRejection | undefined {
      if (found?.kind === 'workflow') return workflowRejection(found.detail);
      const { broken = [], forced, signing } = checked.get(ref) ?? {};
      const text = found?.kind === 'unsigned' ? unsignedText(found.detail.trim().split(' ')) : '';
      const all = [
        ...broken,
        ...(forced && found?.kind === 'force' ? [forced] : []),
        ...(signing && text !== '' ? [{ source: signing.source, text }] : []),
      ];
      if (all.length === 0) return undefined;
      const isClassic = all.every(({ source }) => source === 'protection');
      const reason = isClassic
        ? 'protected branch hook declined'
        : 'push declined due to repository rule violations';
      return { reason, text: violationText(url, ref, all) };
    },
  };
}

function workflowRejection(path: string): RefRejection {
  const what = `create or update workflow \`${path}\` without \`workflows\` permission`;
  return { reason: `refusing to allow a GitHub App to ${what}`, text: '' };
}
