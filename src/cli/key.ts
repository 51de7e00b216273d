import { readKeys } from '../app/environment/page-access.ts';
import { required } from '../app/environment/values.ts';
import { isKeyId, newSealKey } from '../seal/seal-keys.ts';
import type { CommandFile } from './terminal/command-file.ts';
import { UsageError } from './terminal/exit.ts';
import { ownEnvironment } from './terminal/own-environment.ts';

export const makeKey: CommandFile<Change> = {
  about:
    'Makes a key with which the App seals its ledgers, and prints the setting to stdout. Keep the key with the ' +
    "App's private key: whoever has it can forge the history of runs. If the App had open runs before it had a " +
    'key, look at them with `coxswain seal`, and seal them with --yes, before you start it. With --session it is ' +
    'a key that encrypts the sessions of people who sign in to the page: whoever has it and the cookie of a ' +
    'browser is that person there.',
  takes: (command) =>
    command
      .option('--session', 'a key for the sessions of the page instead: COXSWAIN_SESSION_KEY')
      .option('--add', 'the setting in the environment or in .env, with a new key as its last')
      .option(
        '--lost <id>',
        'the setting with a new key in front, in which nothing that <id> sealed counts any more, and no session ' +
          'that it encrypted',
      )
      .option('--gone', 'with --lost: the setting no longer has that key'),
  examples: {
    key: 'COXSWAIN_LEDGER_KEY=<a new key>',
    'key --add':
      'give it to every process, then move the new key to the front, and remove the old one only when `coxswain seal` lists nothing more',
    'key --lost k1': 'for a key that leaked',
    'key --session': 'COXSWAIN_SESSION_KEY=<a new key>',
    'key --session --add':
      'give it to every process, then move the new key to the front, and remove the old one eight hours later',
    'key --session --lost k1': 'signs out everyone whose session that key encrypted',
  },
  run: printKey,
};

async function printKey(values: Change): Promise<number> {
  checkCombination(values);
  const setting = settingWith(newSealKey(), values);
  if (!values.add && values.lost === undefined && !isUnset(values)) process.stderr.write(hintFor(values));
  process.stdout.write(`${nameOf(values)}=${setting}\n`);
  return 0;
}

function nameOf({ session }: Change): string {
  return session ? 'COXSWAIN_SESSION_KEY' : 'COXSWAIN_LEDGER_KEY';
}

function hintFor({ session }: Change): string {
  const [consequence, command] = session
    ? ['Whoever is signed in has to sign in again', 'coxswain key --session --add']
    : ['Open runs that they sealed wait until it has them, too', 'coxswain key --add'];
  return `This is a setting without the keys that are set now. ${consequence}:
\`${command}\` prints all of them with a new one.
`;
}

interface Change {
  readonly session?: boolean;
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

function settingWith(key: string, change: Change): string {
  const { add, lost, gone } = change;
  if (add) return [...entriesNow(change), key].join(',');
  if (lost === undefined) return key;
  const entries = gone && isUnset(change) ? [] : entriesNow(change);
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

function entriesNow(change: Change): readonly string[] {
  const name = nameOf(change);
  const text = required(ownEnvironment(), name, 'without --add and --lost, this command prints a first one');
  readKeys(name, text);
  return text.split(',').map((entry) => entry.trim());
}

function isUnset(change: Change): boolean {
  return (ownEnvironment()[nameOf(change)] ?? '') === '';
}
