import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const linesOf = (path: string) => readFileSync(join(root, path), 'utf8').split('\n');

/** The instructions of the container file, each on one line. */
const instructions = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.replace(/\s+/g, ' '));
const final = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));

/** The arguments of every instruction of this kind. */
function all(kind: string, lines: readonly string[] = final): readonly string[] {
  return lines.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
}

describe('the container image', () => {
  test('runs the App as a user without rights, and Docker asks whether it is well', () => {
    expect(all('USER')).toEqual(['node']);
    expect(all('CMD')).toEqual(['["serve"]']);
    expect(all('ENTRYPOINT')[0]).toContain('/opt/coxswain/dist/cli/coxswain.js');
    expect(all('HEALTHCHECK')[0]).toContain('/healthz');
    expect(all('ENV').join(' ')).toMatch(/HOST=0\.0\.0\.0 PORT=3000 COXSWAIN_DATA=\/data/);
  });

  test('has Git and bubblewrap, and what was built, but neither source nor packages for development', () => {
    expect(all('RUN')[0]).toMatch(/apt-get install .*\bbubblewrap\b.*\bgit\b/);
    expect(all('COPY').every((each) => each.startsWith('--from=build /build/'))).toBe(true);
    expect(all('RUN', instructions).join('\n')).toContain('npm prune --omit=dev');
  });

  test('has one base in all its stages, which a release can name by its digest', () => {
    expect(all('ARG', instructions)[0]).toMatch(/^BASE=node:\d+-[\w-]+$/);
    expect(all('FROM', instructions)).toEqual(['$BASE AS build', '$BASE']);
  });

  test('is built from the files that the build needs and nothing else of the folder, such as keys', () => {
    const [first, ...allowed] = linesOf('.dockerignore').filter((line) => line !== '');
    expect(first).toBe('*');
    expect(allowed.every((line) => line.startsWith('!') && existsSync(join(root, line.slice(1))))).toBe(true);
    const copied = all('COPY').flatMap((each) => each.match(/(?<=\/build\/)[\w.-]+/g) ?? []);
    const made = ['dist', 'node_modules'];
    expect(copied.filter((name) => !made.includes(name) && !allowed.includes(`!${name}`))).toEqual([]);
  });
});
