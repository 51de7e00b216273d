import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../network/egress-fixture.ts';
import { inside } from '../network/programs/inside.ts';

const [home, cache] = ['home/runner', 'opt/hostedtoolcache'];

/** What programs need, by where a runner of GitHub's has it. */
const programs = [
  `${home}/.cargo/bin/cargo`,
  `${home}/.rustup/toolchains/stable/bin/cargo`,
  `${home}/.local/bin/tool`,
  `${home}/.local/lib/python3.12/site-packages/tool.py`,
  `${home}/.local/share/agent/versions/1.0.0`,
  `${home}/.local/share/pipx/venvs/ruff/bin/ruff`,
  `${home}/.local/share/pipx/venvs/ruff/pyvenv.cfg`,
  `${home}/.npm-global/lib/node_modules/one/cli.js`,
  `${home}/.dotnet/tools/format`,
  `${home}/.nvm/nvm.sh`,
  `${home}/go/bin/stringer`,
  `${home}/actions-runner/_work/_tool/go/1.24.0/x64/bin/go`,
  `${cache}/node/22.1.0/x64/bin/node`,
  `${cache}/Java_Temurin-Hotspot_jdk/17.0.1/x64/bin/java`,
  'opt/pipx/venvs/black/bin/black',
  'opt/pipx/venvs/black/lib/python3.12/site-packages/black.py',
  'opt/pipx/venvs/black/pyvenv.cfg',
];

/** Beside them, what nobody else should have. */
const secrets = [
  ...['.netrc', '.npmrc', '.git-credentials', '.docker/config.json', '.m2/settings.xml', '.aws/credentials'],
  ...['.cargo/credentials.toml', '.gradle/gradle.properties', '.config/gh/hosts.yml', '.ssh/id_ed25519'],
  ...['.local/share/keyrings/login.keyring', '.nuget/NuGet/NuGet.Config', '.bash_history', 'one/.env'],
  ...['actions-runner/.credentials', 'actions-runner/.credentials_rsaparams', 'actions-runner/.runner'],
  ...['actions-runner/_work/_temp/event.json', 'actions-runner/_work/a/a/.git/config', '.nvm/.npmrc'],
  ...[`../../${cache}/node/22.1.0/x64/etc/npmrc`, '../../opt/pipx/venvs/black/pip.conf', '../../opt/token'],
].map((path) => join(home, path));

const links = [
  [`${home}/.local/bin/agent`, `${home}/.local/share/agent/versions/1.0.0`],
  [`${home}/.local/bin/ruff`, `${home}/.local/share/pipx/venvs/ruff/bin/ruff`],
  [`${home}/.local/bin/linked`, `${home}/one/linked.js`],
  [`${home}/.npm-global/bin/one`, `${home}/.npm-global/lib/node_modules/one/cli.js`],
  ['opt/pipx_bin/black', 'opt/pipx/venvs/black/bin/black'],
] as const;

const onPath = [
  ...['.local/bin', '.cargo/bin', '.dotnet/tools', '.npm-global/bin', 'go/bin'].map((path) =>
    join(home, path),
  ),
  ...['opt/pipx_bin', `${cache}/node/22.1.0/x64/bin`, 'opt/pipx/venvs/black/pyvenv.cfg'],
];

/** A machine with the folders of a runner, as this process then sees itself. */
function runner(): string {
  const root = temporaryFolder();
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), 0o755);
  };
  for (const path of [...programs, `${home}/one/linked.js`]) put(path, `#!/bin/sh\necho ${path}\n`);
  for (const path of secrets) put(path, 'SECRET\n');
  for (const [path, target] of links) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(root, target), join(root, path));
  }
  const variables = {
    PATH: [...onPath.map((path) => join(root, path)), process.env['PATH']].join(delimiter),
    HOME: join(root, home),
    NVM_DIR: join(root, home, '.nvm'),
    RUNNER_TOOL_CACHE: join(root, cache),
    JAVA_HOME_17_X64: join(root, cache, 'Java_Temurin-Hotspot_jdk/17.0.1/x64'),
    GOROOT_1_24_X64: join(root, home, 'actions-runner/_work/_tool/go/1.24.0/x64'),
    ...{ CARGO_HOME: '/c', GOPATH: '/g', GOCACHE: '/b', RUNNER_TEMP: '/t', ACTIONS_RUNTIME_TOKEN: 'SECRET' },
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return root;
}

test("a runner's toolchains are there, and nothing that it keeps for itself", {
  tags: ['bubblewrap'],
}, async () => {
  const root = runner();
  const { sh } = await inside();
  const said = await sh(`find ${root} -type f -size +0; grep -rl SECRET ${root} /proc/self/environ`);
  const { stdout: ran } = await sh('cargo; agent; ruff; one; black; linked; "$JAVA_HOME_17_X64/bin/java"');
  const { stdout: names } = await sh('env | grep -oE "^(CARGO_HOME|GO|RUNNER|ACTIONS)[A-Z_0-9]*" | sort');
  vi.unstubAllEnvs();
  const files = said.stdout
    .trim()
    .split('\n')
    .map((path) => path.slice(root.length + 1));
  expect(files.sort()).toEqual([...programs, `${home}/one/linked.js`].sort());
  expect(ran.trim().split('\n')).toEqual([
    `${home}/.cargo/bin/cargo`,
    ...links.slice(0, 2).map(([, target]) => target),
    ...[links[3][1], links[4][1], links[2][1]],
    `${cache}/Java_Temurin-Hotspot_jdk/17.0.1/x64/bin/java`,
  ]);
  expect(names).toBe('GOROOT_1_24_X64\nRUNNER_TOOL_CACHE\n');
});
