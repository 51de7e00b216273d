import { beforeEach, expect, test } from 'vitest';
import { Redelivery } from '../../src/app/redelivery.ts';
import { GitHubFault } from '../../src/github/octokit/fault.ts';
import { client, expectOnlyStubbedRequests, github } from '../github/octokit/github.ts';

expectOnlyStubbedRequests();

const since = '2026-11-22T12:00:00Z';
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const actions = {
  check_run: 'requested_action',
  issue_comment: 'created',
  pull_request: 'synchronize',
  github_app_authorization: 'revoked',
};

interface Missed {
  readonly name: keyof typeof actions;
  readonly repository: number | null;
  /** What it was answered with; by default 502. */
  readonly status?: number;
}

/** What was handed over so far, oldest first, by name and repository. */
let received: string[];
/** What handling it leads to; by default it is recorded. */
let handling: (name: string) => Promise<void>;
/** How far this process came with a delivery when it was first delivered. */
let progress: (id: string) => 'recorded' | 'under way' | undefined;

beforeEach(() => {
  received = [];
  handling = async () => undefined;
  progress = () => undefined;
});

/** GitHub lists these, oldest first, each time it is asked. */
function stubDeliveries(missed: readonly Missed[], times = 1): void {
  const list = missed.map(({ name, repository: repository_id, status = 502 }, index) => ({
    ...{ id: index + 1, guid: `guid-${index + 1}`, event: name, action: actions[name], repository_id },
    ...{ delivered_at: '2026-11-22T12:01:00Z', status_code: status },
  }));
  github().get('/app/hook/deliveries?per_page=100').times(times).reply(200, list.toReversed());
}

function stubPayload(index: number, { name, repository }: Missed): void {
  const payload = { said: `${name} of ${repository}` };
  github()
    .get(`/app/hook/deliveries/${index + 1}`)
    .reply(200, { request: { payload } });
}

function opened(patienceMs?: number): Redelivery {
  const receive = async ({ payload }: { payload: unknown }) => {
    // As `stubPayload` made it.
    const { said } = payload as { said: string };
    received.push(said);
    await handling(said);
  };
  const options = {
    app: client(),
    receiver: { receive, progressOf: (id: string) => progress(id) },
    log,
    isStopped: () => false,
  };
  const record = { failed: {}, given_up: 0 };
  return new Redelivery(patienceMs === undefined ? options : { ...options, patienceMs }, record);
}

test('a repository that takes long does not keep another from being heard', async () => {
  const missed: readonly Missed[] = [
    { name: 'pull_request', repository: 1 },
    { name: 'issue_comment', repository: 2 },
  ];
  stubDeliveries(missed, 2);
  missed.forEach((each, index) => void stubPayload(index, each));
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  handling = (said) => (said === 'pull_request of 1' ? released : Promise.resolve());
  const redelivery = opened(20);
  expect(await redelivery.redeliver(since)).toBe(false);
  await expect.poll(() => received.toSorted()).toEqual(['issue_comment of 2', 'pull_request of 1']);
  // What is still under way is not handed over a second time.
  expect(await redelivery.redeliver(since)).toBe(false);
  expect(received).toHaveLength(2);
  release?.();
});

test('what people said comes before everything else', async () => {
  const missed: readonly Missed[] = [
    { name: 'pull_request', repository: 1 },
    { name: 'issue_comment', repository: 1 },
  ];
  stubDeliveries(missed);
  missed.forEach((each, index) => void stubPayload(index, each));
  expect(await opened().redeliver(since)).toBe(true);
  expect(received).toEqual(['issue_comment of 1', 'pull_request of 1']);
});

test('a repository is left alone after an outage, and what failed comes last the next time', async () => {
  const missed: readonly Missed[] = [
    { name: 'issue_comment', repository: 1 },
    { name: 'check_run', repository: 1 },
    { name: 'issue_comment', repository: 2 },
  ];
  stubDeliveries(missed, 2);
  missed.forEach((each, index) => void stubPayload(index, each));
  const outage = new GitHubFault({ doing: 'GET /x', status: 502, retriable: true, reason: 'Bad Gateway' });
  handling = async (said) => {
    if (said === 'issue_comment of 1' && received.length < 3) throw outage;
  };
  const redelivery = opened();
  expect(await redelivery.redeliver(since)).toBe(false);
  expect(received.toSorted()).toEqual(['issue_comment of 1', 'issue_comment of 2']);
  stubPayload(0, { name: 'issue_comment', repository: 1 });
  expect(await redelivery.redeliver(since)).toBe(true);
  expect(received.slice(2)).toEqual(['check_run of 1', 'issue_comment of 1']);
});

test('what was answered while it was being recorded is not handled again by the process that did', async () => {
  const missed: readonly Missed[] = [
    { name: 'issue_comment', repository: 1, status: 202 },
    { name: 'issue_comment', repository: 2, status: 502 },
  ];
  progress = () => 'under way';
  stubDeliveries(missed, 2);
  const redelivery = opened();
  expect(await redelivery.redeliver(since)).toBe(false);
  progress = () => 'recorded';
  expect(await redelivery.redeliver(since)).toBe(true);
  expect(received).toEqual([]);
});

test('after a restart it is not known whether such a delivery was recorded, so it is handled', async () => {
  const slow: Missed = { name: 'issue_comment', repository: 1, status: 202 };
  stubDeliveries([slow]);
  stubPayload(0, slow);
  expect(await opened().redeliver(since)).toBe(true);
  expect(received).toEqual(['issue_comment of 1']);
});

test('a revocation, which names no repository, is handled as well', async () => {
  const missed: Missed = { name: 'github_app_authorization', repository: null };
  stubDeliveries([missed]);
  stubPayload(0, missed);
  expect(await opened().redeliver(since)).toBe(true);
  expect(received).toEqual(['github_app_authorization of null']);
});
