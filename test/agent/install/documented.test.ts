import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Profile } from '../../../src/agent/profiles/profile.ts';
import { profileOf } from '../../../src/agent/profiles/profiles.ts';
import { agentProfiles, profileNames } from '../../../src/config/agent-profiles.ts';
import { readConfig } from '../../../src/config/read.ts';
import { reals } from '../../agents/real.ts';

const page = readFileSync('docs/agents.md', 'utf8');

const asks = {
  every_call: 'before each call',
  escalations: 'before it leaves its sandbox',
  nothing: 'nothing',
};

function row({ name, launch }: Profile): string {
  const use = profileNames.find((each) => each === name);
  if (use === undefined) throw new Error(`${name} is not the name of a profile`);
  const { title, asks: kind, takes } = agentProfiles[use];
  const real = reals.find(({ choice }) => choice.use === use);
  const { package: from } = launch;
  const told = { injected: 'in its turn', restarted_turn: 'with a new turn' };
  const cells = [
    ...[title, `\`${use}\``, from === undefined ? `\`${launch.bin}\`` : `\`${from.name}@${from.version}\``],
    ...[asks[kind], takes.effort ? 'model, effort' : 'model'],
    real === undefined ? 'not tried' : real.tellsExitCodes ? 'yes' : 'no',
    real === undefined ? 'not tried' : told[real.steers],
  ];
  return `| ${cells.join(' | ')} |`;
}

test('docs/agents.md lists what each agent can do; vitest -u updates it', async () => {
  const head = [
    '| agent | `agent.use` | from | asks | takes | exit codes | told while it works |',
    '|---|---|---|---|---|---|---|',
  ];
  const rows = profileNames.map((use) => row(profileOf({ use, timeout_s: 1 })));
  const table = [...head, ...rows].map((line) => `${line}\n`).join('');
  const written = page.replace(/(?<=<!-- agents -->\n)[\s\S]*(?=<!-- \/agents -->)/, table);
  await expect(written).toMatchFileSnapshot('../../../docs/agents.md');
});

test('docs/agents.md names the packages that ask for a newer Node.js than ours', () => {
  const lowest = (text: string): number => Number(/\d+/.exec(text)?.[0]);
  const ours = lowest(JSON.parse(readFileSync('package.json', 'utf8')).engines.node);
  const asking = profileNames.filter((use) => {
    const from = profileOf({ use, timeout_s: 1 }).launch.package?.name;
    if (from === undefined) return false;
    const { packages } = JSON.parse(readFileSync(`agents/${use}/package-lock.json`, 'utf8'));
    return lowest(packages[`node_modules/${from}`]?.engines?.node ?? '0') > ours;
  });
  const titles = asking.map((use) => agentProfiles[use].title).join(' and ');
  expect(page).toContain(`The packages of ${titles} ask for Node.js 22;`);
});

const configurations = page
  .split('\n')
  .filter((line) => /^\| [A-Z][\w ]+ \| `agent: /.test(line))
  .flatMap((line) => [...line.matchAll(/`(agent: [^`]+)`/g)].map(([, text = '']) => text));

test.each(configurations)('the configuration %s is accepted', (text) => {
  const { outcome } = readConfig(`version: 1\n${text}\n`, { path: 'docs/agents.md', ref: 'main' });
  expect(outcome).toBe('configured');
});

test('there is a configuration for each agent', () => {
  for (const use of profileNames) expect(configurations.join('\n')).toContain(use);
});
