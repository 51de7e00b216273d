import nock from 'nock';
import { type Connection, connect } from '../../../src/github/octokit/connect.ts';

/** As much of GitHub as one pull request needs, behind nock; it stores what is written and logs requests. */
export class GitHub {
  readonly log: string[] = [];
  readonly pull = {
    node_id: 'PR_12',
    number: 12,
    state: 'open',
    draft: true,
    body: 'Closes #11.' as string | null,
    labels: [{ name: 'bug' }],
    head: { ref: 'coxswain/fix-login-1a2b3c', sha: '', repo: { id: 77 } },
    base: { ref: 'main', sha: '', repo: { id: 77, default_branch: 'main' } },
    auto_merge: null as { enabled_by: { login: string } } | null,
    merged_at: null as string | null,
  };
  readonly comments: Comment[] = [];
  readonly checks: Check[] = [];
  readonly reactions: string[] = [];
  /** Answers requests whose log line contains this, once per entry. */
  /** `processed`: the request takes effect all the same. */
  readonly failures: {
    readonly on: string;
    readonly status: number;
    readonly body: object;
    readonly processed?: true;
  }[] = [];
  /** Called after a request has been logged and before it is answered. */
  meanwhile: (line: string) => void = () => undefined;
  #id = 100;

  constructor() {
    const scope = nock('https://api.github.com').persist();
    for (const method of ['get', 'post', 'patch', 'put', 'delete'] as const) {
      scope[method](/.*/).reply((uri, body) => {
        // Octokit sends JSON or nothing; nock has parsed it.
        return this.#answer(
          `${method.toUpperCase()} ${decodeURIComponent(uri.split('?')[0] ?? '')}`,
          body as Json,
        );
      });
    }
  }

  /** The requests since the last call, shortened: `GET pulls/12`. */
  requests(): readonly string[] {
    return this.log.splice(0).map((line) => line.replace('/repos/acme/api/', ''));
  }

  check(name: string, head_sha: string): Check | undefined {
    return this.checks.findLast((check) => check.name === name && check.head_sha === head_sha);
  }

  /** A check run that another process of ours has created. */
  addCheck(check: Omit<Check, 'id' | 'app' | 'output'>): void {
    this.#newCheck({ output: { title: '', summary: '' }, ...check });
  }

  /** A comment by a process of ours. */
  addComment(body: string): void {
    const created_at = new Date().toISOString();
    this.comments.push({ id: this.#next(), user: { login: 'coxswain[bot]' }, body, created_at });
  }

  #answer(line: string, body: Json): [number, object] {
    this.log.push(line);
    this.meanwhile(line);
    const failing = this.failures.findIndex(({ on }) => line.includes(on));
    const [failure] = failing < 0 ? [] : this.failures.splice(failing, 1);
    if (failure !== undefined && !failure.processed) return [failure.status, failure.body];
    const [, method = '', path = ''] = /^(\w+) (?:\/repos\/acme\/api)?(.*)$/.exec(line) ?? [];
    const answer = this.#route(`${method} ${path.replace(/[0-9a-f]{40}/, 'SHA')}`, line, body);
    return failure === undefined ? answer : [failure.status, failure.body];
  }

  #route(route: string, line: string, body: Json): [number, object] {
    const id = Number(/\/(\d+)$/.exec(line)?.[1] ?? 0);
    switch (route.replace(/\d+/, 'N')) {
      case 'GET /pulls/N':
        return [200, this.pull];
      case 'PATCH /issues/N':
        return [200, this.#patchIssue(body)];
      case 'PUT /issues/N/labels':
        this.#patchIssue(body);
        return [200, []];
      case 'GET /issues/N/comments':
        return [200, this.comments];
      case 'POST /issues/N/comments':
        this.addComment(String(body['body']));
        return [201, this.comments.at(-1) ?? {}];
      case 'PATCH /issues/comments/N':
        return [200, Object.assign(this.comments.find((comment) => comment.id === id) ?? {}, body)];
      case 'POST /issues/comments/N/reactions':
        this.reactions.push(String(body['content']));
        return [201, { id: 1 }];
      case 'DELETE /issues/comments/N':
        return [
          204,
          this.comments.splice(
            this.comments.findIndex((one) => one.id === id),
            1,
          ),
        ];
      case 'GET /commits/SHA/check-runs':
        return [200, listed(this.checks.filter(({ head_sha }) => line.includes(head_sha)))];
      case 'POST /check-runs':
        return [201, this.#newCheck(body)];
      case 'PATCH /check-runs/N':
        return [200, Object.assign(this.checks.find((check) => check.id === id) ?? {}, body)];
      case 'POST /graphql':
        return [200, this.#mutate(String(body['query']))];
      default:
        return [500, { message: `no such route: ${route}` }];
    }
  }

  #patchIssue({ labels, body, state }: Json): object {
    // What a test writes here is what our own code sends: names and texts.
    if (labels !== undefined) this.pull.labels = (labels as string[]).map((name) => ({ name }));
    if (body !== undefined) this.pull.body = String(body);
    if (state !== undefined) this.pull.state = String(state);
    return {};
  }

  #mutate(query: string): object {
    if (query.includes('disablePullRequestAutoMerge')) this.pull.auto_merge = null;
    else this.pull.draft = query.includes('convertPullRequestToDraft');
    return { data: {} };
  }

  #newCheck(body: Json): Check {
    // As above: the fields that the Checks API requires are always sent.
    const check = {
      conclusion: null,
      ...body,
      id: this.#next(),
      app: { id: 1, slug: 'coxswain' },
    } as unknown as Check;
    this.checks.push(check);
    return check;
  }

  #next(): number {
    this.#id += 1;
    return this.#id;
  }
}

/** Like GitHub, only the newest check run of each name. */
function listed(checks: readonly Check[]): object {
  const check_runs = checks.filter(({ name }, at) => !checks.slice(at + 1).some((one) => one.name === name));
  return { total_count: check_runs.length, check_runs };
}

export function anOctokit(): Connection {
  return connect({ token: 'token', baseUrl: 'https://api.github.com', retryUnitMs: 0 });
}

type Json = { readonly [key: string]: unknown };

interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  readonly created_at?: string;
  body: string;
}

interface Check {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  status: string;
  conclusion: string | null;
  completed_at?: string;
  external_id: string;
  details_url?: string;
  output: { title: string; summary: string; text?: string };
  app: { id: number; slug: string };
  actions?: readonly { identifier: string }[];
}
