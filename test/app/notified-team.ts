import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { receiver, secret, verified } from '../notify/receiver.ts';
import { expectNoProblems, startAppFixture } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import type { PullClient } from './pull-client.ts';
import { config } from './widgets.ts';

interface Notifying {
  /** What the repository names. */
  readonly notify?: string;
  /** Answers instead. */
  readonly answer?: Parameters<typeof receiver>[0];
}

/** An App whose runs notify a target, which answers with `team.status`. */
export async function startNotifying(now?: () => Date, { notify = '[team]', answer }: Notifying = {}) {
  const team = { status: 200 };
  const { url, received } = await receiver(
    answer ?? ((response) => void response.writeHead(team.status).end()),
  );
  const dir = mkdtempSync(join(tmpdir(), 'coxswain-notify-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'operator.yml');
  const target = 'name: team, to: webhook, url_env: TEAM_URL, secret_env: TEAM_SECRET, private: true';
  writeFileSync(file, `version: 1\nnotify: [{ ${target} }]\n`);
  const fixture = await startAppFixture({
    files: { '.github/coxswain.yml': `${config}notify: ${notify}\n` },
    variables: {
      ...{ COXSWAIN_OPERATOR_FILE: file, TEAM_URL: url, TEAM_SECRET: secret },
      COXSWAIN_SWEEP_EVERY: '2s',
    },
    ...(now && { now }),
  });
  onTestFinished(async () => {
    try {
      expectNoProblems(fixture, /could not notify team of acme\/widgets#\d+; /);
    } finally {
      await fixture.end();
    }
  });
  const taken = () => received.map((each) => ({ id: each.headers['webhook-id'], ...verified(each) }));
  const told = (count: number) =>
    eventually(`message ${count}`, async () => (taken().length >= count ? taken() : undefined));
  return { fixture, team, received, taken, told };
}

/** What the ledger says is still to be sent. */
export async function owedBy(pull: PullClient): Promise<readonly string[]> {
  const { state } = await pull.ledger();
  return state.owed.flatMap((effect) => (effect.do === 'notify' ? [effect.event] : []));
}
