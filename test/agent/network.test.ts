import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentFixture, verifyBy, workBy } from './agent-fixture.ts';

/** What listens on this machine, as services do that trust everybody who can connect. */
let services: readonly Server[];
let port: number;
const abstract = `\0coxswain-test-${process.pid}`;

beforeAll(async () => {
  const greet = () => createServer((socket) => socket.on('error', () => undefined).end('REACHED\n'));
  const [tcp, local] = [greet(), greet()];
  services = [tcp, local];
  tcp.listen(0, '127.0.0.1');
  local.listen(abstract);
  await Promise.all(services.map((server) => once(server, 'listening')));
  port = (tcp.address() as AddressInfo).port; // a server that listens on TCP has such an address
});

afterAll(() => {
  for (const server of services) server.close();
});

const none = { setup: [], agent: [], verifiers: [] } as const;

/** Tries to read a greeting from there, without any proxy. */
function reading(where: object): string {
  const program = `require('net').connect(${JSON.stringify(where)}).on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`;
  return `node -e '${program.replaceAll("'", `'\\''`)}'`;
}

describe('the network of a program', { tags: ['bubblewrap'] }, () => {
  test('has nothing of the machine: no loopback, no abstract socket, no other interface', async () => {
    const on = await agentFixture({});
    const lines = {
      loopback: reading({ port, host: '127.0.0.1' }),
      abstract: reading({ path: abstract }),
      interfaces: 'cat /proc/net/dev | tail -n +3 | cut -d: -f1',
      routes: 'tail -n +2 /proc/net/route | wc -l',
      name: 'getent hosts example.com || echo unknown',
    };
    const outcome = await verifyBy(lines, on, { settings: { network: none } });
    const said = outcome.kind === 'verified' ? outcome.verifiers.map(({ stdout }) => stdout.trim()) : [];
    expect(said).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'lo', '0', 'unknown']);
  });

  test('is that of the machine for verifiers with `host`, and for nothing else', async () => {
    const on = await agentFixture({});
    const settings = {
      network: { ...none, setup: ['host'], verifiers: ['host'] },
      setup: [`${reading({ port, host: '127.0.0.1' })} | grep ECONNREFUSED`],
    };
    const outcome = await verifyBy({ loopback: reading({ port, host: '127.0.0.1' }) }, on, { settings });
    expect(outcome).toMatchObject({ verifiers: [{ stdout: 'REACHED\n\n' }] });
  });

  test('refuses hosts by what a program is for, and tells which command wanted which', async () => {
    const on = await agentFixture({});
    const settings = {
      setup: ['git ls-remote https://setup.example.com/x.git || true'],
      network: { setup: ['registries'], agent: [], verifiers: [] },
    };
    const lines = {
      test: 'git ls-remote https://registry.npmjs.org:444/x.git; git ls-remote http://10.0.0.1/x.git',
    };
    const outcome = await verifyBy(lines, on, { settings });
    expect(outcome.kind === 'verified' && outcome.blocked).toEqual([
      {
        use: 'setup',
        host: 'setup.example.com',
        why: 'unlisted',
        command: expect.stringContaining('https://setup.example.com/x.git'),
      },
      {
        use: 'verifiers',
        host: 'registry.npmjs.org:444',
        why: 'unlisted',
        command: expect.stringContaining('https://registry.npmjs.org:444/x.git'),
      },
      { use: 'verifiers', host: '10.0.0.1', why: 'private', command: expect.stringContaining('10.0.0.1') },
    ]);
  });

  test('is told to people also when the attempt fails', async () => {
    const on = await agentFixture({});
    const outcome = await workBy('git ls-remote https://example.com/x.git; exit 1', on, {
      settings: { network: none },
    });
    expect(outcome).toMatchObject({
      kind: 'failed',
      blocked: [{ use: 'agent', host: 'example.com', why: 'unlisted' }],
    });
  });

  test('ends with the attempt: nothing listens, and no socket is left', async () => {
    const on = await agentFixture({});
    const before = process.getActiveResourcesInfo().filter((name) => /Pipe|TCP/.test(name)).length;
    await workBy('true', on);
    const after = process.getActiveResourcesInfo().filter((name) => /Pipe|TCP/.test(name)).length;
    expect(after).toBe(before);
  });
});

test.runIf(/^v(?:20|22\.(?:\d|1\d|20)|23)\./.test(process.version))(
  'people are told that this Node.js does not use the proxy',
  { tags: ['bubblewrap'] },
  async () => {
    const on = await agentFixture({});
    const settings = { network: { ...none, verifiers: ['open'] } };
    const outcome = await verifyBy({ test: 'true' }, on, { settings });
    expect(outcome).toMatchObject({
      notices: [
        expect.stringMatching(/Node\.js \d+\.\d+\.\d+ cannot reach the hosts that `network\.\w+` allows/),
      ],
    });
  },
);
