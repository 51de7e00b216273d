import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { setAside } from './agreed.ts';
import { openDoor } from './door.ts';

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
