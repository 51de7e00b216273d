import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Egress } from '../../../src/network/egress.ts';
import {
  forwarded,
  forwarderEnvironment,
  forwarderScript,
} from '../../../src/network/tools/proxy-settings.ts';
import { egress, egressTo, httpServer, mainSocket, temporaryFolder } from '../egress-fixture.ts';

/** A program behind a forwarder, in this machine's network: the port is a free one. */
async function behind(
  egress: Egress | undefined,
  program: readonly string[],
  env: Record<string, string> = {},
) {
  const script = join(temporaryFolder(), 'forwarder.cjs');
  writeFileSync(script, forwarderScript);
  const port = await freePort();
  const doors = egress === undefined ? [] : [{ port, path: mainSocket(egress) }];
  const argv = forwarded(
    program.map((word) => word.replaceAll('PROXY', `http://127.0.0.1:${port}`)),
    { node: process.execPath, script, doors },
  );
  const [node = '', ...words] = argv;
  const environment = forwarderEnvironment({ PATH: process.env['PATH'] ?? '', ...env });
  return { node, words, environment, port };
}

async function run(...given: Parameters<typeof behind>) {
  const { node, words, environment } = await behind(...given);
  const child = spawn(node, words, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const [exitCode, signal] = await once(child, 'close');
  return { ...output, exitCode, signal };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

describe('the forwarder', () => {
  test('ends as its program ends', async () => {
    expect(await run(undefined, ['sh', '-c', 'echo out; echo err >&2; exit 7'])).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 7,
      signal: null,
    });
    expect(await run(undefined, ['sh', '-c', 'kill -KILL $$'])).toMatchObject({ signal: 'SIGKILL' });
    expect(await run(undefined, ['sh', '-c', 'kill -TERM $$'])).toMatchObject({ signal: 'SIGTERM' });
    expect(await run(undefined, ['sh', '-c', 'kill -SEGV $$'])).toMatchObject({ exitCode: 128 + 11 });
  });

  test('says so when it cannot start the program or open the way to the network', async () => {
    const missing = await run(undefined, ['/nowhere/program']);
    expect(missing).toMatchObject({
      exitCode: 127,
      stderr: expect.stringMatching(/^coxswain: could not start/),
    });
    expect(await run(undefined, ['/etc/passwd'])).toMatchObject({ exitCode: 126 });
    const { node, words, environment, port } = await behind(await egress(), ['true']);
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const taken = spawnSync(node, words, { env: environment, encoding: 'utf8' });
    other.close();
    expect(taken).toMatchObject({ status: 125, stderr: expect.stringMatching(/^coxswain: .*EADDRINUSE/) });
  });

  test('passes signals on to the program, which alone decides', async () => {
    const waiting =
      'process.on("SIGTERM", () => { console.log("told"); process.exit(3); }); setInterval(() => 0, 1e3);';
    const { node, words, environment } = await behind(undefined, [
      process.execPath,
      '-e',
      `${waiting} console.log("ready")`,
    ]);
    const child = spawn(node, words, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (chunk.includes('ready')) child.kill('SIGTERM');
    });
    expect(await once(child, 'close')).toEqual([3, null]);
    expect(stdout).toBe('ready\ntold\n');
  });

  test('gives the program exactly its environment, and obeys none of it', async () => {
    const env = { NODE_OPTIONS: '--require /nowhere.js', NODE_DEBUG: 'net', 'odd-name': 'a=b' };
    const { stdout, stderr } = await run(undefined, ['env', '-0'], env);
    expect(stderr).toBe('');
    const seen = stdout.split('\0').filter((line) => line !== '' && !line.startsWith('PATH='));
    expect(seen.sort()).toEqual(['NODE_DEBUG=net', 'NODE_OPTIONS=--require /nowhere.js', 'odd-name=a=b']);
  });

  test('is not reached by what a program sends to its whole group', async () => {
    expect(await run(undefined, ['sh', '-c', 'trap "" TERM; kill 0; echo alive'])).toMatchObject({
      stdout: 'alive\n',
      exitCode: 0,
    });
  });

  test('leads to the egress', async () => {
    const port = await httpServer((_, response) => response.end('hello'));
    const through = await egressTo('web.example', port);
    const { stdout } = await run(through, ['curl', '-s', '-x', 'PROXY', `http://web.example:${port}/`]);
    expect(stdout).toBe('hello');
    const tunnel = await run(through, ['curl', '-s', '-p', '-x', 'PROXY', `http://web.example:${port}/`]);
    expect(tunnel.stdout).toBe('hello');
  });

  test('tells which command wanted a host that is blocked', async () => {
    const closed = await egress();
    closed.runs('npm test');
    const { stderr } = await run(closed, ['curl', '-sS', '-x', 'PROXY', 'https://example.org/secret']);
    expect(stderr).toContain('403');
    const command = expect.stringMatching(/^curl -sS -x http:\S+ https:\/\/example.org\/secret$/);
    expect(closed.takeBlocked()).toEqual([{ host: 'example.org', why: 'unlisted', command }]);
    expect(closed.takeBlocked()).toEqual([]);
  });

  test('survives more connections than it passes on', async () => {
    const port = await httpServer((_, response) => response.end('hello'));
    const through = await egressTo('web.example', port);
    const attack = `
      const { connect } = require('node:net');
      let closed = 0;
      const sockets = [];
      const many = 2_000;
      const next = () => {
        const socket = connect(new URL('PROXY').port, '127.0.0.1');
        sockets.push(socket.resume().on('error', () => undefined).on('close', () => {
          closed += 1;
          if (closed === many - 400) for (const each of sockets) each.destroy();
        }));
        if (sockets.length < many) socket.once('connect', next);
      };
      next();`;
    const then = `curl -s --retry 20 --retry-all-errors --retry-delay 1 -x PROXY http://web.example:${port}/`;
    const { stdout, exitCode } = await run(through, [
      'sh',
      '-c',
      `"$0" -e "$1" && ${then}`,
      process.execPath,
      attack,
    ]);
    expect({ stdout, exitCode }).toEqual({ stdout: 'hello', exitCode: 0 });
  });

  test('ends although connections are open', async () => {
    const one = await egressTo('silent.example', 1, { resolve: () => new Promise(() => undefined) });
    const { node, words, environment, port } = await behind(one, ['sh', '-c', 'echo ready; read line']);
    const child = spawn(node, words, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.write('CONNECT silent.example:1 HTTP/1.1\r\n\r\n');
    child.stdin.end('\n');
    expect(await once(child, 'close')).toEqual([0, null]);
    client.destroy();
  });
});
