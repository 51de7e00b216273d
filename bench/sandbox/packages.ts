import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { PartHandler } from '../measure/part.ts';

/** A registry of npm packages on loopback, and a project that depends on all of them. */
export interface PackagesSettings {
  readonly folder: string;
  readonly count: number;
}

export interface PackagesReady {
  readonly url: string;
  /** The files of the project, by name. */
  readonly project: Readonly<Record<string, string>>;
}

/** Each package has ten files of two kilobytes, about the median of what projects depend on. */
const filesPerPackage = 10;

export async function openPackages({
  folder,
  count,
}: PackagesSettings): Promise<PartHandler<PackagesReady, null, null>> {
  const names = Array.from({ length: count }, (_, index) => `package-${index}`);
  const tarballs = new Map<string, Buffer>();
  for (const name of names) tarballs.set(`/${name}/-/${name}-1.0.0.tgz`, await packed(folder, name));
  const server = createServer((request, response) => {
    const found = tarballs.get(request.url ?? '');
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' });
    response.end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as Node documents it for a server on a port
  const url = `http://127.0.0.1:${port}`;
  return {
    ready: { url, project: projectOf(names, url, tarballs) },
    answer: async () => null,
    end: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function packed(folder: string, name: string): Promise<Buffer> {
  const content = join(folder, 'package');
  await mkdir(content, { recursive: true });
  await writeFile(join(content, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  for (let file = 0; file < filesPerPackage; file++)
    await writeFile(join(content, `${file}.js`), `// ${name} ${file}\n`.repeat(120));
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  const bytes = await readFile(join(folder, 'package.tgz'));
  await rm(content, { recursive: true });
  return bytes;
}

function projectOf(
  names: readonly string[],
  url: string,
  tarballs: ReadonlyMap<string, Buffer>,
): Readonly<Record<string, string>> {
  const dependencies = Object.fromEntries(names.map((name) => [name, '1.0.0']));
  const root = { name: 'project', version: '1.0.0', dependencies };
  const installed = names.map((name) => {
    const path = `/${name}/-/${name}-1.0.0.tgz`;
    const sha = createHash('sha512')
      .update(tarballs.get(path) ?? '')
      .digest('base64');
    return [
      `node_modules/${name}`,
      { version: '1.0.0', resolved: `${url}${path}`, integrity: `sha512-${sha}` },
    ];
  });
  const lock = { ...root, lockfileVersion: 3, packages: { '': root, ...Object.fromEntries(installed) } };
  return { 'package.json': JSON.stringify(root), 'package-lock.json': JSON.stringify(lock) };
}
