import { pino } from 'pino';
import { readEnvironment } from '../app/environment/environment.ts';
import { type LedgerSeal, sealLedgers } from '../app/seal-ledgers.ts';
import { parseSealKeys, type SealKeys } from '../seal/seal-keys.ts';
import type { CommandFile } from './terminal/command-file.ts';
import { ownEnvironment } from './terminal/own-environment.ts';

/** `coxswain seal`: 1 if something could not be read or sealed. */
export const seal: CommandFile<Options> = {
  about:
    "Lists the ledgers of open runs that are not sealed with the App's current key, and seals them as they are. " +
    'A ledger without a seal is then believed, so look at it first. It exits with 1 if a ledger cannot be read ' +
    'or sealed, and says what to do about it. It reads the same environment as `coxswain serve`, which may ' +
    'keep running.',
  takes: (command) =>
    command.option('--closed', 'those of ended runs as well').option('--yes', 'seal what is listed'),
  examples: {
    seal: 'what would be sealed',
    'seal --closed --yes': 'seal that, and the ledgers of ended runs',
  },
  run: sealLedgersOf,
};

interface Options {
  readonly closed?: boolean;
  readonly yes?: boolean;
}

async function sealLedgersOf({ closed = false, yes = false }: Options): Promise<number> {
  const environment = readEnvironment(ownEnvironment());
  const log = pino({ level: environment.logLevel }, pino.destination(2));
  const found = await sealLedgers(environment, { closed, write: yes }, log);
  const keys = parseSealKeys(environment.ledgerKey);
  process.stdout.write(found.length === 0 ? allSealed(keys, closed) : reportOf(found, keys.current.id));
  return found.some(({ outcome }) => outcome === 'failed' || outcome === 'unreadable') ? 1 : 0;
}

function allSealed({ current, known }: SealKeys, closed: boolean): string {
  const others = known.flatMap(({ id }) => (id === current.id ? [] : [`\`${id}\``]));
  const also =
    others.length === 0 ? '' : ` Also known: ${others.join(', ')}, which seals nothing in these runs.`;
  return `All ${closed ? '' : 'open '}runs are sealed with \`${current.id}\`, the first key.${also}\n`;
}

const groups: { readonly [O in LedgerSeal['outcome']]: string } = {
  listed: 'Can be sealed with it',
  sealed: 'Sealed with it',
  failed: 'Could not be sealed',
  unreadable: 'Cannot be read',
};

function reportOf(found: readonly LedgerSeal[], current: string): string {
  const parts = Object.entries(groups).map(([outcome, title]) => {
    const lines = found.filter((each) => each.outcome === outcome).map(linesFor);
    return lines.length === 0 ? '' : `${title}:\n${lines.join('')}`;
  });
  const isListed = found.some(({ outcome }) => outcome === 'listed');
  const end = isListed ? 'Nothing was changed. With --yes, what can be sealed is sealed.\n' : '';
  return `New entries are sealed with \`${current}\`, the first key.\n${parts.join('')}${end}`;
}

function linesFor({ run, phase, key, commit, outcome, trouble }: LedgerSeal): string {
  const unnamed = outcome === 'unreadable' ? [] : ['no seal'];
  const by = key === null ? unnamed : [`sealed with ${key}`];
  const line = [run, ...(phase === null ? [] : [phase]), ...by, commit.slice(0, 12)].join('\t');
  return trouble === undefined
    ? `  ${line}\n`
    : `  ${line}\n    ${sentence(trouble.why)} ${trouble.remedy}.\n`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
