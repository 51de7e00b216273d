import { expect, test } from 'vitest';
import { networkKit } from '../../src/app/coxswain.ts';
import { withDefaults } from '../../src/app/environment/app-settings.ts';
import { noOperatorFile } from '../../src/config/operator/operator-schema.ts';
import type { Spending } from '../../src/network/spending/open-spending.ts';
import { stateOf } from '../agent/states.ts';

const spending = {} as Spending; // is passed on as it is

test('of the registries of a repository only the names count, beside those of the operator', () => {
  const own = { host: 'npm.corp.example', kind: 'npm', token_env: 'CORP_NPM_TOKEN', secret: 'it' } as const;
  const operatorFile = { ...noOperatorFile, registries: [own], privateHosts: [own.host] };
  const settings = withDefaults({ appId: 1, privateKey: '', ledgerKey: '', operatorFile });
  const registries = [
    { host: own.host, kind: 'npm', token_env: 'OTHER' },
    { host: 'pypi.example.com', kind: 'pypi', token_env: 'LEDGER_KEY' },
  ] as const;
  const kit = networkKit(settings, spending, { ...stateOf().settings, registries });
  expect(kit).toMatchObject({ privateHosts: [own.host], spending });
  expect(kit.registries).toEqual([own, { host: 'pypi.example.com' }]);
});
