import { join } from 'node:path';
import { type LedgerSeal, sealRepository } from '../../app/seal-ledgers.ts';
import type { AppSettings } from '../../app/settings.ts';
import type { Repository } from '../../runs/repository.ts';
import { parseSealKeys } from '../../seal/keys.ts';
import { openSeals } from '../../seal/seals.ts';
import { type Finding, note, ok, problem } from './finding.ts';

/** Whether the ledgers of the open runs of a repository can be read with the keys of the App. */
export async function examineLedgers(
  repository: Repository,
  { ledgerKey, data }: Pick<AppSettings, 'ledgerKey' | 'data'>,
): Promise<readonly Finding[]> {
  const seals = openSeals(parseSealKeys(ledgerKey));
  const looking = { seals, data: join(data, 'seals'), now: () => new Date(), closed: false, write: false };
  const found = await sealRepository(repository, looking);
  if (found.length === 0) return [ok('ledgers', `all open runs of the App are sealed with ${seals.current}`)];
  return found.map(findingFor);
}

function findingFor({ run, key, trouble }: LedgerSeal): Finding {
  if (trouble !== undefined)
    return problem('ledgers', `the ledger of ${run} cannot be believed: ${trouble.why}`, trouble.remedy);
  if (key === null)
    return problem(
      'ledgers',
      `the ledger of ${run} has no seal`,
      'If it is from before an upgrade, seal it with `coxswain seal`',
    );
  return note('ledgers', `${run} is sealed with ${key}`);
}
