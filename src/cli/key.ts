import { parseArgs } from 'node:util';
import { ledgerKeySetting } from '../app/environment.ts';
import { newSealKey } from '../seal/keys.ts';
import { ownEnvironment } from './own-environment.ts';

const help = `Makes a key with which the App seals its ledgers, and prints the setting to stdout.

  coxswain key               COXSWAIN_LEDGER_KEY=<a new key>
  coxswain key --add         the setting in the environment or in .env with a new key as its last:
                             give it to every process, then move the new key to the front, and remove
                             the old one when \`coxswain seal\` lists nothing more
  coxswain key --lost <id>   the setting with a new key in front, in which nothing that <id> sealed counts
                             any more: for a key that leaked; for one that is gone, too

Keep the key with the App's private key. Whoever has it can forge the history of runs.
`;

/** `coxswain key`: the number is the exit code. */
export async function makeKey(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      add: { type: 'boolean', default: false },
      lost: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stderr.write(help);
    return 0;
  }
  const changed = values.add ? 'added' : values.lost === undefined ? 'new' : { lost: values.lost };
  process.stdout.write(`COXSWAIN_LEDGER_KEY=${settingWith(newSealKey(), changed)}\n`);
  return 0;
}

function settingWith(key: string, change: 'new' | 'added' | { readonly lost: string }): string {
  if (change === 'new') return key;
  const entries = ledgerKeySetting(ownEnvironment())
    .split(',')
    .map((entry) => entry.trim());
  if (change === 'added') return [...entries, key].join(',');
  const { lost } = change;
  const kept = entries.filter((entry) => entry.replace(/^[-!]/, '').split(':')[0] !== lost);
  return [key, ...kept, `!${lost}`].join(',');
}
