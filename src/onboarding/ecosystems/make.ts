import type { FoundCommand, Purpose } from '../findings.ts';
import type { Folder } from '../repository-files.ts';

/** The targets that serve a purpose, the one that counts first. */
const targets: Readonly<Record<Purpose, readonly string[]>> = {
  test: ['test', 'tests', 'check'],
  lint: ['lint'],
  types: ['typecheck', 'type-check', 'types'],
  build: ['build'],
};

const files = [
  ['Makefile', 'make'],
  ['makefile', 'make'],
  ['GNUmakefile', 'make'],
  ['justfile', 'just'],
  ['Justfile', 'just'],
  ['.justfile', 'just'],
] as const;

/** What a Makefile or a justfile offers. */
export async function made(folder: Folder): Promise<Readonly<Partial<Record<Purpose, FoundCommand>>>> {
  const [file, program] = files.find(([name]) => folder.has(name)) ?? [];
  if (file === undefined) return {};
  const text = await folder.text(file);
  const entries = Object.entries(targets).flatMap(([purpose, names]) => {
    const name = names.find((each) => hasTarget(text, each));
    return name === undefined ? [] : [[purpose, { run: `${program} ${name}`, from: `"${name}" in ${file}` }]];
  });
  return Object.fromEntries(entries);
}

/** With its parameters in a justfile, but no variable of that name. */
function hasTarget(text: string, name: string): boolean {
  return new RegExp(`^@?${name}(?:[ \\t][^:=\\n]*)?:(?!=)`, 'm').test(text);
}
