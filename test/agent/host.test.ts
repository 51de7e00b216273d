import { expect, onTestFinished, test } from 'vitest';
import { Host } from '../../src/agent/host.ts';
import type { Live } from '../../src/agent/live.ts';
import type { PermissionRequest } from '../../src/agent/port.ts';
import { ReasoningLog } from '../../src/agent/reasoning.ts';
import { WorkingTime } from '../../src/agent/working-time.ts';
import type { AskedCall } from '../../src/steering/attempt-result.ts';
import { stateOf } from './states.ts';

const quiet = new AbortController().signal;
const deploys = execute('kubectl delete namespace shop');

function execute(command: string, title = command): PermissionRequest {
  return { kind: 'execute', title, command };
}

/** A host in a sandbox, and people who allow everything. */
function hosting() {
  const asked: AskedCall[] = [];
  const live: Live = {
    ask: async (call) => {
      asked.push(call);
      return { allowed: true, why: '' };
    },
    attend: () => () => undefined,
    progress: () => undefined,
    allowedRules: () => [],
    limits: () => ({ minutes: 30 }),
  };
  const time = new WorkingTime(60_000);
  onTestFinished(() => time.stop());
  const nothing = (): void => undefined;
  const options = { state: stateOf(), live, log: new ReasoningLog(), time, sandboxed: true, secrets: [] };
  return { asked, host: new Host({ ...options, onTooManyCalls: nothing, onEvent: nothing }) };
}

function does(host: Host, id: string, call: PermissionRequest, done?: PermissionRequest): void {
  host.event({ type: 'tool_open', id, ...call });
  host.event({ type: 'tool_close', id, outcome: 'ok', ...(done !== undefined && { done }) });
}

test('what people allowed is allowed for one call, and the next one was made unasked', async () => {
  const { host, asked } = hosting();
  expect(await host.decide(deploys, quiet)).toEqual({ allow: true });
  expect(asked).toMatchObject([{ command: deploys.command }]);
  does(host, '1', deploys);
  expect(host.ran).toEqual([]);
  does(host, '2', deploys);
  expect(host.ran).toMatchObject([{ rule: 'changes-production', severity: 'critical' }]);
});

test('a call that does something else than what was allowed under its title was made unasked', async () => {
  const { host } = hosting();
  await host.decide(deploys, quiet);
  does(host, '1', execute('kubectl delete namespace bank', deploys.title));
  expect(host.ran).toMatchObject([{ evidence: expect.stringContaining('namespace bank') }]);
});

test('what a call did is judged also if its agent names the command only afterwards, or another one', () => {
  const { host } = hosting();
  does(host, '1', { kind: 'other', title: 'Tidy up' }, deploys);
  does(host, '2', execute('npm test'), execute('psql app -c "DROP TABLE users"'));
  expect(host.ran.map(({ rule }) => rule)).toEqual(['changes-production', 'drops-data']);
});
