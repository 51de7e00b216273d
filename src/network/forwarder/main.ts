import { writeSync } from 'node:fs';
import { openDoor } from './door.ts';
import { runProgram } from './program.ts';

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
  runProgram(words.slice(end + 1), fail);
}

/** 125, as of other programs that only start one. */
function fail(message: string, exitCode = 125): never {
  writeSync(2, `coxswain: ${message}\n`);
  process.exit(exitCode);
}

main().catch((fault: Error) => fail(fault.message));
