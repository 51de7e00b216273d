import { parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSeals } from '../../src/seal/seals.ts';

/** The key of the App in tests that have only one; writers in other processes have the same. */
export const ledgerKey = `test:${Buffer.alloc(32, 7).toString('base64')}`;
export const sealKeys = parseSealKeys(ledgerKey);
export const seals = openSeals(sealKeys);

/** The ledgers of the Action. */
export const unsealed = { repositoryId: 1, presenter: 'action' } as const;

/** The ledgers of an App. */
export const sealedBy = { repositoryId: 1, presenter: 'app', seals } as const;
