import type { CommandOf } from '../../steering/commands/index.ts';
import { visible } from '../../text/characters.ts';
import { confirmed } from '../terminal/ask-person.ts';
import { Ended, exitCodes } from '../terminal/exit.ts';
import { runName } from '../terminal/which-run.ts';
import type { Seen } from './say-command.ts';

interface ApproveFields {
  readonly sha?: string;
  readonly despite?: readonly string[];
  readonly yes?: boolean;
}

/** An approval of the head that is shown, by its full name. */
export function approveCommand(
  { sha, despite = [] }: ApproveFields,
  { place, state, report, head }: Seen,
): CommandOf<'approve'> {
  const shown = report?.head_sha ?? head;
  const name = runName(place);
  if (shown !== head)
    throw refused(
      `somebody pushed ${head} to ${name}, and Coxswain stands at ${shown}: look again in a moment`,
    );
  if (sha !== undefined && !(sha.length >= 7 && shown.startsWith(sha.toLowerCase())))
    throw refused(`the head of ${name} is ${shown}, and not ${sha}`);
  if (state === undefined)
    throw refused(`the ledger of ${name} is lost: coxswain resume --run ${name} starts over`);
  return { type: 'approve', sha: shown, despite };
}

/** Shows what is approved, and asks, where somebody can answer. */
export async function approveConfirmed({ sha, yes = false }: ApproveFields, seen: Seen): Promise<void> {
  const risk = seen.report?.approval_request?.risk_level ?? seen.report?.risk_level ?? null;
  const doubt = await seen.doubt();
  // Whoever can forge a ledger could lower the risk in it.
  const isRisky = doubt !== undefined || (risk !== 'low' && risk !== 'medium');
  process.stderr.write(visible(shown(seen, { risk: risk ?? 'not known', doubt })));
  if (isRisky && !process.stdin.isTTY && !(yes && sha !== undefined))
    throw refused(
      `its risk is ${doubt === undefined && risk !== null ? risk : 'not known'}, and nobody can be asked here: once you have reviewed it, use --yes with --sha`,
    );
  if (!(await confirmed('Approve it?', yes))) throw refused('nothing was posted');
}

function shown(
  { place, report }: Seen,
  { risk, doubt }: { risk: string; doubt: string | undefined },
): string {
  if (report === undefined) return '';
  const { title, status_text, head_sha } = report;
  return [
    `${runName(place)}: ${title}`,
    status_text,
    ...(/^Risk: /m.test(status_text) ? [] : [`Risk: ${risk}`]),
    ...(doubt === undefined ? [] : [`Unverified: ${doubt}`]),
    `Commit: ${head_sha}`,
    '',
  ].join('\n');
}

function refused(message: string): Ended {
  return new Ended(exitCodes.refused, message);
}
