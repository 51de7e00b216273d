// Every exported function has a doc comment.
import { readdirSync, readFileSync } from 'node:fs';

const folders = ['src', 'vendor'];
const files = folders.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));

for (const file of files.filter((name) => name.endsWith('.js'))) {
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.forEach((line, index) => {
    if (!line.startsWith('export function') || lines[index - 1]?.endsWith('*/')) return;
    process.stdout.write(`${file}:${index + 1}:1: an exported function needs a doc comment\n`);
    process.exitCode = 1;
  });
}
