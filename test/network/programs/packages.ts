import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from '../../../src/network/registries/registry.ts';
import { httpServer, temporaryFolder } from '../egress-fixture.ts';

/** The token of all registries here. */
export const secret = 'token-0123456789';

/** How PyPI takes it. */
export const basic = `Basic ${btoa(`__token__:${secret}`)}`;

/** Files at a server that answers only those who show the token. Addresses in them lead to it. */
export async function filesFor(
  authorization: string,
  files: (origin: string) => Record<string, string | Buffer>,
) {
  const asked: string[] = [];
  let origin = '';
  const port = await httpServer(({ url = '', headers }, response) => {
    asked.push(url);
    const content = files(origin)[decodeURIComponent(url)];
    if (headers.authorization !== authorization) response.writeHead(401).end();
    else if (content === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': typeOf(url) }).end(content);
  });
  origin = `http://127.0.0.1:${port}`;
  return { origin, asked };
}

function typeOf(url: string): string {
  if (url.endsWith('/')) return 'text/html';
  return /\.(?:tgz|whl|crate|zip)$|download$/.test(url) ? 'application/octet-stream' : 'application/json';
}

export function registry(kind: NonNullable<Registry['kind']>, upstream: string): Registry {
  return { host: `${kind}.corp.example`, kind, secret, upstream };
}

/** A compressed archive of these files. */
export function archive(files: Readonly<Record<string, string>>): Buffer {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const tops = new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''));
  return execFileSync('tar', ['-cz', '-C', folder, ...tops]);
}

/** The same for wheels and modules of Go, in which paths may have an `@`. */
export function zip(files: Readonly<Record<string, string>>): Buffer {
  const script =
    'import sys, json, zipfile, io\nb = io.BytesIO(); z = zipfile.ZipFile(b, "w")\n' +
    'for path, text in json.load(sys.stdin).items(): z.writestr(path, text)\n' +
    'z.close(); sys.stdout.buffer.write(b.getvalue())';
  return execFileSync('python3', ['-c', script], { input: JSON.stringify(files) });
}

export const sha = (name: string, content: Buffer) => createHash(name).update(content);

/** A package of npm with nothing in it. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly tarball: Buffer;
  readonly integrity: string;
}

export function npmPackage(name: string, version = '1.0.0'): NpmPackage {
  const tarball = archive({ 'package/package.json': JSON.stringify({ name, version }) });
  return { name, version, tarball, integrity: `sha512-${sha('sha512', tarball).digest('base64')}` };
}

/** What a registry of npm has of it below `base`; `at` is the address that it says of itself. */
export function npmFiles({ name, version, tarball, integrity }: NpmPackage, at: string, base: string) {
  const path = `${base}${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
  const dist = { tarball: `${at}${path}`, integrity };
  const time = { [version]: '2020-01-01T00:00:00.000Z' };
  const versions = { [version]: { name, version, dist } };
  return {
    [`${base}${name}`]: JSON.stringify({ name, 'dist-tags': { latest: version }, versions, time }),
    [path]: tarball,
  };
}
