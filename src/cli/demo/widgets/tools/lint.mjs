// Every exported function has a doc comment, in the files that differ from the main branch.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const changed = execFileSync('git', ['diff', '--name-only', 'main...HEAD'], { encoding: 'utf8' });

for (const file of changed.split('\n').filter((name) => name.endsWith('.js') && existsSync(name))) {
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.forEach((line, index) => {
    if (!line.startsWith('export function') || lines[index - 1]?.endsWith('*/')) return;
    process.stdout.write(`${file}:${index + 1}:1: an exported function needs a doc comment\n`);
    process.exitCode = 1;
  });
}
