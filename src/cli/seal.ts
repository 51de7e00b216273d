import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { readEnvironment } from '../app/environment.ts';
import { type LedgerSeal, sealLedgers } from '../app/seal-ledgers.ts';
import { ownEnvironment } from './own-environment.ts';

const help = `Lists the ledgers that are not sealed with the App's current key, and seals them as they are.

  coxswain seal            lists the ledgers of open runs
  coxswain seal --closed   those of ended runs as well
  coxswain seal --yes      seals what is listed: a ledger without a seal is then believed, so look at it first

It reads the same environment as \`coxswain serve\`, which may keep running.
`;

/** `coxswain seal`: the number is the exit code; 1 if something could not be sealed. */
export async function seal(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      closed: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stderr.write(help);
    return 0;
  }
  const environment = readEnvironment(ownEnvironment());
  const log = pino({ level: environment.logLevel }, pino.destination(2));
  const found = await sealLedgers(environment, { closed: values.closed, write: values.yes }, log);
  for (const each of found) process.stdout.write(`${lineFor(each)}\n`);
  const left = found.filter(({ outcome }) => outcome !== 'sealed');
  if (found.length === 0) process.stdout.write('Every ledger is sealed with the current key.\n');
  else if (!values.yes) process.stdout.write('Nothing was changed. With --yes, these ledgers are sealed.\n');
  return values.yes && left.length > 0 ? 1 : 0;
}

function lineFor({ run, phase, key, commit, outcome }: LedgerSeal): string {
  const by = key === null ? 'no seal' : `sealed with ${key}`;
  return [run, phase, by, commit.slice(0, 12), outcome].join('\t');
}
