import { GitError } from '../../git/git.ts';
import { pushRefusalOf } from '../../git/push-refusal.ts';
import type { Told } from '../../github/listen/heard.ts';
import { messageOf } from '../../repository/faults.ts';
import { isAlwaysAnswered } from '../../steering/approval/reply-limit.ts';
import { addressed } from '../../words/index.ts';
import { cannotWriteText } from '../../words/own-faults.ts';
import { renderedSeq } from './lost-run.ts';
import type { Run } from './run.ts';

/** What Node.js or Git says, and the same as part of a sentence. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/\bENOSPC\b|no space left/i, 'no space is left on its disk'],
  [/\bEDQUOT\b|disk quota/i, 'its disk quota is used up'],
  [/\bEROFS\b|read-only file system/i, 'its disk is read-only'],
  [/\bEIO\b|input\/output error/i, 'its disk fails'],
  [
    /\b(?:EACCES|EPERM|ENOTDIR)\b|permission denied|not a directory|cannot mkdir/i,
    'it may not write to its folder',
  ],
];

/** Why this machine cannot write, as part of a sentence; undefined if something else is wrong. */
export function machineFaultIn(fault: unknown): string | undefined {
  if (!(fault instanceof Error)) return undefined;
  // What the network refuses names an address, and what Git says of a remote is not said of this machine.
  const code = 'code' in fault && !('address' in fault) ? String(fault.code) : '';
  const printed = fault instanceof GitError && pushRefusalOf(fault) === undefined ? fault.stderr : '';
  const said = `${code} ${printed}`;
  return reasons.find(([words]) => words.test(said))?.[1] ?? machineFaultIn(fault.cause);
}

const hourMs = 3_600_000;

/**
 * Tells on the pull request of a run that something said there could not be recorded because of this machine,
 * once an hour, whichever process does it. Never throws: the fault itself is what has to be reported.
 */
export async function tellMachineFault(fault: unknown, event: Told, run: Run): Promise<void> {
  const why = machineFaultIn(fault);
  if (why === undefined || event.type !== 'said' || event.by.bot || !isAlwaysAnswered(event.by.role)) return;
  try {
    if (!(await isOurs(run))) return;
    const hour = Math.floor(run.services.clock.now().getTime() / hourMs);
    const since = new Date(hour * hourMs).toISOString();
    await run.say(`machine:${hour}`, addressed(event.by.login, cannotWriteText(why)), { since });
  } catch (cause) {
    run.services.log.warn(`could not tell on ${run.name} that ${why}: ${messageOf(cause)}`);
  }
}

/** Without its ledger a run is known by what it shows. */
async function isOurs(run: Run): Promise<boolean> {
  if (run.newest !== undefined) return true;
  const { body } = await run.pull();
  return renderedSeq(body, run) > 0;
}
