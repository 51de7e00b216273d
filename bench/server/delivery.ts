import { createHmac } from 'node:crypto';

/** An HTTP request, ready to be sent. */
export interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const secret = 'the webhook secret of the benchmarks';
const deliveryBytes = 20_480;

/** What a busy organization sends most: a signed `issue_comment` without a command, of exactly 20,480 bytes. */
export function uninterestingDelivery(text = 'Thanks, the fix looks right to me.'): Request {
  const body = paddedPayload(text);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/0000000',
      'x-github-event': 'issue_comment',
      'x-github-delivery': '00000000-0000-4000-8000-000000000000',
      'x-github-hook-id': '1',
      'x-hub-signature-256': `sha256=${signature}`,
    },
  };
}

/** The comment is padded until the payload has the right size. */
function paddedPayload(text: string): string {
  const bare = Buffer.byteLength(JSON.stringify(payload(text)));
  const sentence = ' It was measured twice, on two machines, and it holds.';
  const missing = deliveryBytes - bare;
  const padding = sentence.repeat(Math.ceil(missing / sentence.length)).slice(0, missing);
  return JSON.stringify(payload(text + padding));
}

const api = 'https://api.github.com';

function payload(body: string): object {
  const repository = repositoryOf('acme', 'widgets');
  const user = userOf('ada', 101);
  const issue = `${repository.url}/issues/7`;
  return {
    action: 'created',
    issue: {
      url: issue,
      labels_url: `${issue}/labels{/name}`,
      comments_url: `${issue}/comments`,
      events_url: `${issue}/events`,
      html_url: `${repository.html_url}/issues/7`,
      id: 7001,
      number: 7,
      title: 'Ten widgets or more are 10 % cheaper',
      user,
      labels: [],
      state: 'open',
      body: 'Large orders get a discount: 10 % off from ten widgets.',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    },
    comment: {
      url: `${repository.url}/issues/comments/9001`,
      html_url: `${repository.html_url}/issues/7#issuecomment-9001`,
      issue_url: issue,
      id: 9001,
      node_id: 'IC_kwDOAAAAAM4AACMp',
      user,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      author_association: 'MEMBER',
      body,
    },
    repository,
    organization: userOf('acme', 1),
    sender: user,
    installation: { id: 42, node_id: 'bm9kZQ==' },
  };
}

const userUrls = [
  'followers',
  'gists',
  'starred',
  'subscriptions',
  'orgs',
  'repos',
  'events',
  'received_events',
];

function userOf(login: string, id: number): object {
  const url = `${api}/users/${login}`;
  const urls = Object.fromEntries(userUrls.map((name) => [`${name}_url`, `${url}/${name}`]));
  return { login, id, url, html_url: `https://github.com/${login}`, type: 'User', ...urls };
}

const repositoryUrls = [
  'forks',
  'keys',
  'teams',
  'hooks',
  'events',
  'tags',
  'blobs',
  'statuses',
  'languages',
];
const moreUrls = [
  'contributors',
  'subscribers',
  'commits',
  'comments',
  'contents',
  'compare',
  'merges',
  'pulls',
];

function repositoryOf(owner: string, name: string): { url: string; html_url: string } {
  const url = `${api}/repos/${owner}/${name}`;
  const urls = [...repositoryUrls, ...moreUrls].map((each) => [`${each}_url`, `${url}/${each}{/sha}`]);
  return {
    url,
    html_url: `https://github.com/${owner}/${name}`,
    ...{ id: 11, name, full_name: `${owner}/${name}`, private: false, default_branch: 'main' },
    ...{ owner: userOf(owner, 1), clone_url: `https://github.com/${owner}/${name}.git` },
    ...Object.fromEntries(urls),
  };
}
