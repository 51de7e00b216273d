import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toolchainVariables, toolPath } from '../process/environment.ts';
import { emptyFile, type Mount, mavenSettings, readOnly } from './made-files.ts';
import { isSystem, systemFolders, toolchainsOn, toolSettingsIn } from './toolchains.ts';

/**
 * What programs see of this machine, in the order of mounting: nothing but what is named here, read-only.
 * Neither homes nor sockets nor the settings of services are in it. `readable`: paths that only the operator
 * knows. `made` has the files of the attempt's own.
 */
export function hostMounts(readable: readonly string[], made: string): readonly Mount[] {
  const toolchains = toolchainsOn(toolPath(), Object.values(toolchainVariables()));
  const toBind = [...toolchains, ...readable].filter((path) => existsSync(path) && !isSystem(path));
  const bound = outermost(toBind);
  return [
    ...systemFolders.filter(existsSync).map(sameAsHost),
    ...emptied.filter(existsSync).map((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...[...settingsOfSystem(), ...bound].map(readOnly),
    ...settingsOfTools(toolchains, bound).map((path) => ['--ro-bind', replacementFor(path, made), path]),
  ];
}

/** Those that are shown: of a link the file that it leads to. What the operator names is shown as it is. */
function settingsOfTools(toolchains: readonly string[], bound: readonly string[]): readonly string[] {
  const found = toolchains.filter((path) => !isSystem(path)).flatMap((folder) => toolSettingsIn(folder));
  const shown = found.filter((file) => isSystem(file) || bound.some((path) => file.startsWith(`${path}/`)));
  return [...new Set([...settingsOfMaven(), ...shown])];
}

function replacementFor(path: string, made: string): string {
  return join(made, basename(path) === 'settings.xml' ? mavenSettings : emptyFile);
}

/** System-wide settings of npm and pip can have credentials. */
const emptied = ['/usr/local/etc', '/usr/etc'];

/** Those of Maven can have them too. */
function settingsOfMaven(): readonly string[] {
  const shared = existsSync('/usr/share') ? readdirSync('/usr/share') : [];
  // `maven`, or `apache-maven-3.9.9` on GitHub's runners.
  const folders = shared.filter((name) => name.includes('maven')).map((name) => `/usr/share/${name}/conf`);
  const files = ['/etc/maven', ...folders].map((folder) => join(folder, 'settings.xml')).filter(existsSync);
  return files.map((path) => realpathSync(path));
}

/** What programs need of `/etc`; the rest of it is made for each attempt. */
const wanted = [
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime', 'timezone'],
  ...['ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies'],
  ...['pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf', 'pki/ca-trust/extracted', 'pki/java'],
  ...['protocols', 'services', 'mime.types', 'magic', 'locale.conf', 'locale.alias', 'fonts', 'terminfo'],
  ...['os-release', 'lsb-release', 'debian_version', 'redhat-release', 'alpine-release', 'shells', 'dotnet'],
  ...['gai.conf', 'host.conf', 'rpc', 'perl', 'maven'],
];

/** Of Java, Python, Ruby and PHP there is a folder for each version. */
const versioned = /^(?:java|python|ruby|php|jvm|ImageMagick)[-\w.]*$/;

function settingsOfSystem(): readonly string[] {
  const found = existsSync('/etc') ? readdirSync('/etc').filter((name) => versioned.test(name)) : [];
  return [...wanted, ...found].map((name) => join('/etc', name)).filter(existsSync);
}

/** A folder of the system, or the link that takes its place on most distributions. */
function sameAsHost(path: string): Mount {
  if (!lstatSync(path).isSymbolicLink()) return readOnly(path);
  return ['--symlink', readlinkSync(path), path];
}

/** Without those inside of others. */
function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => path !== other && path.startsWith(`${other}/`)));
}
