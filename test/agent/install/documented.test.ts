import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/read.ts';
import { profileNames, profiles } from '../../../src/profiles/index.ts';
import type { NamedProfile } from '../../../src/profiles/profile.ts';
import { reals } from '../../agents/real.ts';

const page = readFileSync('docs/agents.md', 'utf8');

const asks = {
  every_call: 'before each call',
  escalations: 'before it leaves its sandbox',
  nothing: 'nothing',
};

function row({ name, title, asks: kind, takes, launch }: NamedProfile): string {
  const real = reals.find(({ choice }) => choice.use === name);
  const { package: from } = launch;
  const told = { injected: 'in its turn', restarted_turn: 'with a new turn' };
  const cells = [
    ...[title, `\`${name}\``, from === undefined ? `\`${launch.bin}\`` : `\`${from.name}@${from.version}\``],
    ...[asks[kind], takes.effort ? 'model, effort' : 'model'],
    real === undefined ? 'not tried' : real.tellsExitCodes ? 'yes' : 'no',
    real === undefined ? 'not tried' : told[real.steers],
  ];
  return `| ${cells.join(' | ')} |\n`;
}

test('docs/agents.md lists each agent, and how to use it; vitest -u updates it', async () => {
  const head =
    '| agent | `agent.use` | from | asks | takes | exit codes | told while it works |\n|---|---|---|---|---|---|---|\n';
  const rows = Object.values(profiles).map(row);
  const recipes = Object.values(profiles).map(
    ({ title, recipe: { configuration, key } }) => `| ${title} | ${configuration} | ${key} |\n`,
  );
  const written = page
    .replace(/(?<=<!-- agents -->\n)[\s\S]*(?=<!-- \/agents -->)/, () => `${head}${rows.join('')}`)
    .replace(
      /(?<=<!-- recipes -->\n)[\s\S]*(?=<!-- \/recipes -->)/,
      () => `| agent | configuration | key |\n|---|---|---|\n${recipes.join('')}`,
    );
  await expect(written).toMatchFileSnapshot('../../../docs/agents.md');
});

test('docs/agents.md names the packages that ask for a newer Node.js than ours', () => {
  const lowest = (text: string): number => Number(/\d+/.exec(text)?.[0]);
  const ours = lowest(JSON.parse(readFileSync('package.json', 'utf8')).engines.node);
  const asking = profileNames.filter((use) => {
    const from = profiles[use].launch.package?.name;
    if (from === undefined) return false;
    const { packages } = JSON.parse(readFileSync(`agents/${use}/package-lock.json`, 'utf8'));
    return lowest(packages[`node_modules/${from}`]?.engines?.node ?? '0') > ours;
  });
  const titles = asking.map((use) => profiles[use].title).join(' and ');
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
