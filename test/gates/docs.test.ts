import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clients, commandRules } from '../../src/gates/commands/command-rules.ts';
import { starters } from '../../src/gates/commands/starts.ts';
import { rules } from '../../src/gates/reading/rules.ts';
import { callRuleNames } from '../../src/steering/shapes/gate-rules.ts';

const page = readFileSync(new URL('../../docs/gates.md', import.meta.url), 'utf8');

test('docs/gates.md lists every rule and its commands; vitest -u updates it', async () => {
  const written = page
    .replace(/(?<=<!-- commands -->\n)[\s\S]*(?=<!-- \/commands -->)/, () => sections())
    .replace(/(?<=<!-- rules -->\n)[\s\S]*(?=<!-- \/rules -->)/, () => onChanges());
  await expect(written).toMatchFileSnapshot('../../docs/gates.md');
});

function onChanges(): string {
  const rows = Object.entries(rules).map(
    ([rule, { firesOn, severity }]) => `| \`${rule}\` | ${firesOn} | ${severity} |\n`,
  );
  return `| rule | fires on | severity |\n|---|---|---|\n${rows.join('')}`;
}

function sections(): string {
  const told = callRuleNames.map((rule) => {
    const heading = `### \`${rule}\` (${rules[rule].severity})`;
    return [
      heading,
      besides[rule] ?? '',
      table(commandRules.find((one) => one.rule === rule)?.rows ?? []),
    ].filter((text) => text !== '');
  });
  return `\n${[...told.flat(), started()].join('\n\n')}\n\n`;
}

/** What no table says. */
const besides: Readonly<Record<string, string>> = {
  'deletes-files':
    'Also `> file` without a command or with one that prints nothing, `tee file < /dev/null`, `dd if=/dev/zero of=file`, writing to a device, and the usual calls of other languages.',
  'drops-data': `Also SQL that drops, truncates or deletes, in an argument or the input of ${clientNames()}, and calls of \`mongo\` and \`mongosh\` that do.`,
  'changes-production': 'Also writing a file of production configuration.',
  'touches-secrets':
    'Also reading, printing or changing a file with secrets, and `printenv` of a variable named like one.',
  'loosens-permissions':
    'Also `chmod`, `mkdir -m`, `install -m`, `rsync --chmod`, `umask` and `setfacl` that let everybody write, or set the bits `setuid` or `setgid`; and joining the groups `sudo`, `wheel`, `root`, `docker` and `admin`.',
  'changes-automation': 'Also writing, moving or removing a file of automation.',
  'runs-remote-code':
    'What `curl`, `wget` or another downloader gives is run by a shell, by another interpreter or by its path, at once or from a file; `chmod +x` on a downloaded file; `deno run https://…`, `npx https://…`, `npm exec github:…`, `uvx --from git+…`, `pip install git+…`.',
  unparsable: '[Below](#what-is-unparsable).',
};

function clientNames(): string {
  return [...clients].map((name) => `\`${name}\``).join(', ');
}

type Row = (typeof commandRules)[number]['rows'][number];

function table(rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(({ command, needed, spared }) => {
    return `| ${code(command)} | ${needed.map(code).join(' ')} | ${spared.map(code).join(' ')} |`;
  });
  return ['| command | with | unless with |', '|---|---|---|', ...lines].join('\n');
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function started(): string {
  const names = [...starters].flatMap(([program, rows]) =>
    rows.map(({ words }) => code([program, ...words.map((one) => one.join('|'))].join(' '))),
  );
  return `### Programs that start others\n\nThe command behind them counts: ${names.join(', ')}.`;
}
