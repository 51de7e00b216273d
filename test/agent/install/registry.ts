import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { InstallOptions, LockedPackage } from '../../../src/agent/install/installer.ts';
import { profileOf } from '../../../src/profiles/index.ts';
import type { Profile } from '../../../src/profiles/profile.ts';
import { temporaryFolder } from '../agent-fixture.ts';

/** An agent in the registry: a script that answers `--version`. */
export interface Published {
  readonly agent: Profile;
  readonly locked: LockedPackage;
  /** How often its archive was asked for. */
  downloads(): number;
  /** Called before an archive is sent, which waits for it. */
  onDownload: () => Promise<void>;
}

interface Publishing {
  readonly version?: string;
  /** What its program does. */
  readonly script?: string;
  /** What the archive in the registry has in it, if not what the lockfile says. */
  readonly changed?: boolean;
  /** The registry has nothing. */
  readonly missing?: boolean;
}

/** Publishes an agent at a registry on loopback, which npm is told of, for the time of a test. */
export async function publish({
  version = '1.2.3',
  script = `console.log('${version}')`,
  changed = false,
  missing = false,
}: Publishing = {}): Promise<Published> {
  const tarball = archive({ name: 'toy-agent', version, bin: 'main.js' }, script);
  const sent = changed ? archive({ name: 'toy-agent', version, bin: 'main.js' }, 'evil()') : tarball;
  let downloads = 0;
  const published = { onDownload: async (): Promise<void> => undefined };
  const origin = await serve(async (path, own) => {
    if (missing) return undefined;
    if (path === '/toy-agent') return packument(version, own, sent);
    downloads++;
    await published.onDownload();
    return sent;
  });
  process.env['npm_config_registry'] = origin;
  onTestFinished(() => void delete process.env['npm_config_registry']);
  return Object.assign(published, {
    agent: agentOf(version),
    locked: lockOf(version, integrityOf(tarball)),
    downloads: () => downloads,
  });
}

/** Where an agent is installed in a test. */
export function options(cache = join(temporaryFolder(), 'agents')): InstallOptions & { said: string[] } {
  const said: string[] = [];
  return { cache, workRoot: temporaryFolder(), log: (text) => said.push(text), said };
}

function agentOf(version: string): Profile {
  const claude = profileOf({ use: 'claude', timeout_s: 1 });
  const program = 'node_modules/toy-agent/main.js';
  const own = { name: 'toy-agent', version, program };
  return { ...claude, launch: { ...claude.launch, bin: 'toy-agent', package: own } };
}

function lockOf(version: string, integrity: string): LockedPackage {
  const manifest = { name: 'of-toy', version: '0.0.0', dependencies: { 'toy-agent': version } };
  const lock = {
    ...{ name: 'of-toy', version: '0.0.0', lockfileVersion: 3, requires: true },
    packages: {
      '': manifest,
      'node_modules/toy-agent': { version, integrity, bin: { 'toy-agent': 'main.js' } },
    },
  };
  const files = { 'package.json': JSON.stringify(manifest), 'package-lock.json': JSON.stringify(lock) };
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return { files, digest, problem: null };
}

function packument(version: string, origin: string, tarball: Buffer): string {
  const dist = { tarball: `${origin}/toy-agent/-/toy-agent-${version}.tgz`, integrity: integrityOf(tarball) };
  const versions = { [version]: { name: 'toy-agent', version, bin: { 'toy-agent': 'main.js' }, dist } };
  return JSON.stringify({ name: 'toy-agent', 'dist-tags': { latest: version }, versions });
}

function integrityOf(tarball: Buffer): string {
  return `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
}

/** With an install script, which must never run. */
function archive(manifest: object, script: string): Buffer {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'package'));
  const scripts = { postinstall: 'touch ran-a-script', install: 'touch ran-a-script' };
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify({ ...manifest, scripts }));
  writeFileSync(join(folder, 'package', 'main.js'), `#!/usr/bin/env node\n${script}\n`);
  return execFileSync('tar', ['-cz', '--mode=755', '-C', folder, 'package']);
}

type Answer = (path: string, origin: string) => Promise<string | Buffer | undefined>;

async function serve(answer: Answer): Promise<string> {
  let origin = '';
  const server = createServer(async ({ url = '' }, response) => {
    const content = await answer(url, origin);
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server on TCP
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return origin;
}
