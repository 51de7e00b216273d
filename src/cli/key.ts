import { ledgerKeySetting } from '../app/environment/environment.ts';
import { isKeyId, newSealKey } from '../seal/seal-keys.ts';
import type { CommandFile } from './terminal/command-file.ts';
import { UsageError } from './terminal/exit.ts';
import { ownEnvironment } from './terminal/own-environment.ts';

export const makeKey: CommandFile<Change> = {
  about:
    'Makes a key with which the App seals its ledgers, and prints the setting to stdout. Keep the key with the ' +
    "App's private key: whoever has it can forge the history of runs. If the App had open runs before it had a " +
    'key, look at them with `coxswain seal`, and seal them with --yes, before you start it.',
  takes: (command) =>
    command
      .option('--add', 'the setting in the environment or in .env, with a new key as its last')
      .option(
        '--lost <id>',
        'the setting with a new key in front, in which nothing that <id> sealed counts any more',
      )
      .option('--gone', 'with --lost: the setting no longer has that key'),
  examples: {
    key: 'COXSWAIN_LEDGER_KEY=<a new key>',
    'key --add':
      'give it to every process, then move the new key to the front, and remove the old one only when `coxswain seal` lists nothing more',
    'key --lost k1': 'for a key that leaked',
  },
  run: printKey,
};

async function printKey(values: Change): Promise<number> {
  checkCombination(values);
  const setting = settingWith(newSealKey(), values);
  if (!values.add && values.lost === undefined && !isUnset()) process.stderr.write(hint);
  process.stdout.write(`COXSWAIN_LEDGER_KEY=${setting}\n`);
  return 0;
}

const hint = `This is a setting without the keys that are set now. Open runs that they sealed wait until it has them,
too: \`coxswain key --add\` prints all of them with a new one.
`;

interface Change {
  readonly add?: boolean;
  readonly lost?: string;
  readonly gone?: boolean;
}

/** Options that would be ignored beside others are refused: whoever gives them expects them to count. */
function checkCombination({ add, lost, gone }: Change): void {
  if (gone && lost === undefined) throw new UsageError('--gone is only for --lost <id>');
  if (add && lost !== undefined)
    throw new UsageError('--add and --lost cannot be used together: --lost makes a new key as well');
  if (lost === undefined || isKeyId(lost)) return;
  // Whoever pastes a whole key does not find it in the terminal's history twice.
  const id = idOf(lost);
  throw new UsageError(`--lost takes only the id of a key${isKeyId(id) ? `, here: --lost ${id}` : ''}`);
}

function settingWith(key: string, { add, lost, gone }: Change): string {
  if (add) return [...entriesNow(), key].join(',');
  if (lost === undefined) return key;
  const entries = gone && isUnset() ? [] : entriesNow();
  const kept = entries.filter((entry) => idOf(entry) !== lost);
  if (kept.length === entries.length && !gone) throw unknownKey(lost, entries);
  return [key, ...kept, `!${lost}`].join(',');
}

/** A key that keeps its place because its id was misspelt would go on being believed. */
function unknownKey(lost: string, entries: readonly string[]): Error {
  const named = JSON.stringify(lost);
  const known = `the setting has no key ${named}, only ${entries.map(idOf).join(', ')}`;
  return new Error(`${known}. If ${named} was in the setting once and is gone, use --gone as well`);
}

/** The id is what stands before the colon. */
function idOf(entry: string): string {
  return entry.replace(/^[-!]/, '').replace(/:.*$/s, '');
}

function entriesNow(): readonly string[] {
  return ledgerKeySetting(ownEnvironment())
    .split(',')
    .map((entry) => entry.trim());
}

function isUnset(): boolean {
  return (ownEnvironment()['COXSWAIN_LEDGER_KEY'] ?? '') === '';
}
