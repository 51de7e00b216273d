import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import { refusalHeader, refusalPath, setAside } from './agreed.ts';

/**
 * The program that stands between another one and its egress, inside a network that has nothing but itself:
 * `forwarder 3128=/run/coxswain/3128.sock -- program …`. It passes what arrives at each port to the socket
 * behind it, and ends as the program ends. Node's own modules only, since every command waits for its start.
 */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const end = words.indexOf('--');
  const doors = words.slice(0, end).map((word) => /^(\d+)=(.+)$/s.exec(word));
  await Promise.all(doors.map((found) => openDoor(Number(found?.[1]), found?.[2] ?? '')));
  runProgram(words.slice(end + 1));
}

/** 125, as of other programs that only start one. */
function fail(message: string, exitCode = 125): never {
  writeSync(2, `coxswain: ${message}\n`);
  process.exit(exitCode);
}

main().catch((fault: Error) => fail(fault.message));

/**
 * Runs a program with our input and output, and ends as it ends. It leads a session and a group of its own,
 * so that its `kill 0` does not reach us; what we are sent goes to the whole group.
 */
function runProgram([name = '', ...words]: readonly string[]): void {
  const program = spawn(name, words, { stdio: 'inherit', detached: true, env: programEnvironment() });
  program.once('error', ({ message, code }: NodeJS.ErrnoException) => {
    fail(`could not start ${name}: ${message}`, code === 'ENOENT' ? 127 : 126);
  });
  for (const signal of passedOn) process.on(signal, () => signalGroup(program.pid, signal));
  program.once('exit', (exitCode, signal) => {
    if (signal === null) process.exit(exitCode ?? 0);
    endBy(signal);
  });
}

const passedOn: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, signal);
  } catch {
    // It has just ended, and so do we.
  }
}

/**
 * By the same signal, unless that writes a core dump, as SIGQUIT and those that are not passed on do: the one
 * that matters is the program's own.
 */
function endBy(signal: NodeJS.Signals): void {
  const exitCode = 128 + constants.signals[signal];
  const isPassedOn = passedOn.includes(signal) || signal === 'SIGKILL';
  if (!isPassedOn || signal === 'SIGQUIT') process.exit(exitCode);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a namespace cannot be ended like this.
  setTimeout(() => process.exit(exitCode), 100);
}

/** What was set aside because it would have changed ourselves is the program's again. */
function programEnvironment(): NodeJS.ProcessEnv {
  const all = Object.entries(process.env);
  return Object.fromEntries(
    all.map(([name, value]) => [name.startsWith(setAside) ? name.slice(setAside.length) : name, value]),
  );
}

/**
 * Listens on a port of 127.0.0.1 and passes each connection to a Unix socket. Rejects if it cannot listen.
 */
async function openDoor(port: number, path: string): Promise<void> {
  // Without delay: programs wait for the last bytes of each message.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => passOn(client, path));
  // With two descriptors for each, the usual limit of 1,024 for a process is not reached.
  server.maxConnections = 400;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch(({ message }: Error) => {
    throw new Error(`could not open the way to the network: ${message}`);
  });
  // The program alone decides how long we live.
  server.on('error', () => undefined).unref();
}

function passOn(client: Socket, path: string): void {
  const egress = connect({ path, allowHalfOpen: true });
  for (const [one, other] of [
    [client, egress],
    [egress, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.once('close', () => one.readableEnded || other.destroy());
  }
  client.pipe(egress);
  egress.once('data', (first: Buffer) => {
    const refusal = numberOfRefusal(first);
    if (refusal === undefined) return begin(first);
    egress.pause();
    held = true;
    // Before the client reads the answer and ends.
    tell(refusal, { path, command: commandOf(client) }, () => begin(first));
  });
  // Nothing at all may come, or nothing more than what we still hold.
  let held = false;
  egress.once('end', () => held || client.end());
  const begin = (first: Buffer): void => {
    held = false;
    client.write(first);
    if (egress.readableEnded) client.end();
    else egress.pipe(client);
  };
}

/** What the egress calls a refusal, which is all that it says first on this connection. */
function numberOfRefusal(first: Buffer): string | undefined {
  if (first.length < 12 || first.toString('latin1', 9, 12) !== '403') return undefined;
  return refusalLine.exec(first.toString('latin1', 0, 2_000))?.[1];
}

const refusalLine = new RegExp(`\\r\\n${refusalHeader}: (\\d+)\\r\\n`, 'i');

const patienceMs = 1_000;

/** Tells the egress which command wanted the host. Whatever becomes of it, the client has its answer soon. */
function tell(refusal: string, known: { path: string; command: string | undefined }, done: () => void): void {
  if (known.command === undefined) return void done();
  const body = Buffer.from(known.command);
  const lines = [
    `POST ${refusalPath}${refusal} HTTP/1.1`,
    'host: egress',
    'connection: close',
    `content-length: ${body.length}`,
  ];
  const socket = connect({ path: known.path });
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.once('close', done);
  socket.resume();
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.write(body);
}

/** A program that is refused ever more must not keep us busy. */
let looks = 200;

/** The command line of the program at the other end of a connection of this machine, if it can be seen. */
function commandOf({ remotePort = 0, localPort = 0 }: Socket): string | undefined {
  if (looks === 0) return undefined;
  looks -= 1;
  const inode = inodeOf(remotePort, localPort);
  const owner = inode === undefined ? undefined : ownerOf(`socket:[${inode}]`);
  return owner === undefined ? undefined : commandLine(owner);
}

/** The socket with these ports, in the kernel's tables of connections. */
function inodeOf(from: number, to: number): string | undefined {
  const [local, remote] = [from, to].map((port) => port.toString(16).toUpperCase().padStart(4, '0'));
  const line = new RegExp(`^ *\\d+: [0-9A-F]+:${local} [0-9A-F]+:${remote} (?:\\S+ +){6}(\\d+)`, 'm');
  // A program that speaks IPv6 reaches 127.0.0.1 too.
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const found = line.exec(textOf(table))?.[1];
    if (found !== undefined && found !== '0') return found;
  }
  return undefined;
}

function ownerOf(link: string): string | undefined {
  const processes = namesIn('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const linkOf = (path: string) => unlessGone(() => readlinkSync(path), '');
  return processes.find((id) =>
    namesIn(`/proc/${id}/fd`).some((name) => linkOf(`/proc/${id}/fd/${name}`) === link),
  );
}

function commandLine(id: string): string {
  const words = textOf(`/proc/${id}/cmdline`).split('\0').join(' ').trim();
  return (words === '' ? textOf(`/proc/${id}/comm`).trim() : words).slice(0, 200);
}

function textOf(path: string): string {
  return unlessGone(() => readFileSync(path, 'utf8'), '');
}

function namesIn(folder: string): readonly string[] {
  return unlessGone(() => readdirSync(folder), []);
}

/** Processes end while we look, and others belong to another user: they are not what we look for. */
function unlessGone<T>(look: () => T, nothing: T): T {
  try {
    return look();
  } catch {
    return nothing;
  }
}
