import { expect, test } from 'vitest';
import { dial, PrivateAddress } from '../../src/network/proxy/dial.ts';
import { tcpServer } from './egress-fixture.ts';

test('a connection that leads to no public address after all is not used', async () => {
  const port = await tcpServer((socket) => void socket.resume().end());
  const target = { host: '127.0.0.1', port };
  const options = {
    // Of an address nobody asks for a name, so that this is looked at and another one reached.
    resolve: async () => ['93.184.215.14'],
    signal: new AbortController().signal,
    timeoutMs: 10_000,
  };
  await expect(dial(target, { ...options, private: false })).rejects.toThrow(PrivateAddress);
  const socket = await dial(target, { ...options, private: true });
  expect(socket.remoteAddress).toBe(target.host);
  socket.destroy();
});
