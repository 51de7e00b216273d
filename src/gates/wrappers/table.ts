import { names } from '../arguments/options.ts';

/** A program that starts another one, which stands in its own arguments. */
interface Wrapper {
  /** Its own options that take the next argument. */
  readonly takes: ReadonlySet<string>;
  /** How many operands of its own stand before the program. */
  readonly skip: number;
  /** `A=b` may stand before the program. */
  readonly assigns: boolean;
  /** What follows is joined to one text for a shell. */
  readonly shell: boolean;
  /** Options whose value is a text for a shell. */
  readonly code: ReadonlySet<string>;
  /** No program stands in its arguments, only such a text. */
  readonly onlyCode: boolean;
  /** The program stands behind `--`. */
  readonly afterDashes: boolean;
  /** The program may name its version: `rimraf@5`. */
  readonly versions: boolean;
  /** Options with which it starts nothing. */
  readonly idle: ReadonlySet<string>;
  /** Without a program, it starts a shell that reads its input. */
  readonly login: boolean;
}

interface Row {
  readonly takes?: string;
  readonly skip?: number;
  readonly assigns?: true;
  readonly shell?: true;
  readonly code?: string;
  readonly onlyCode?: true;
  readonly afterDashes?: true;
  readonly versions?: true;
  readonly idle?: string;
  readonly login?: true;
}

const container = `
    -e --env -v --volume -u --user -w --workdir --name --network --net -p --publish --entrypoint
    --mount -l --label -h --hostname --env-file --platform -m --memory --cpus --pull --restart --gpus
    --add-host --cap-add --cap-drop --device --dns --log-driver --log-opt --ulimit --tmpfs --shm-size
    --ipc --pid --userns --security-opt --volumes-from --group-add --cidfile --link --expose
    --stop-signal --runtime --cgroup-parent --isolation --mac-address --ip --annotation -a --attach
    --index --detach-keys -c --cpu-shares --cpuset-cpus --label-file --sysctl
  `;

/** What is written `a|b` stands for each of the programs; further words are its subcommand. */
const rows: Readonly<Record<string, Row>> = {
  sudo: {
    takes: `
        -u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -R --chroot -r --role -t
        --type -T --command-timeout -U --other-user
      `,
    assigns: true,
    idle: '-l --list -v --validate -k -K -e --edit',
    login: true,
  },
  doas: { takes: '-u -C' },
  env: { takes: '-u --unset -C --chdir', assigns: true, code: '-S --split-string' },
  'cross-env': { assigns: true },
  'nohup|setsid|builtin|busybox|toybox|fakeroot|unbuffer|torsocks|catchsegv|caffeinate|dbus-run-session': {},
  'chronic|arch|lima|microk8s|k3s': {},
  wsl: { takes: '-d --distribution -u --user --cd' },
  exec: { takes: '-a' },
  time: { takes: '-f --format -o --output' },
  command: { idle: '-v -V' },
  'timeout|gtimeout': { takes: '-s --signal -k --kill-after', skip: 1 },
  'nice|chrt': { takes: '-n --adjustment' },
  ionice: { takes: '-c --class -n --classdata -p --pid' },
  taskset: { skip: 1 },
  stdbuf: { takes: '-i --input -o --output -e --error' },
  'strace|ltrace': { takes: '-e -o -p -s -S -u -E -a -b -I -O -P -X' },
  valgrind: {},
  'perf stat|record': { takes: '-e --event -o --output -F' },
  flock: { takes: '-w --timeout -E --conflict-exit-code', skip: 1, code: '-c --command' },
  'unshare|nsenter': {
    takes: '-S --setuid -G --setgid -R --root -w --wd -t --target --map-user --map-group --propagation',
  },
  chroot: { skip: 1, login: true },
  'bwrap|firejail': {
    takes: `
        --unsetenv --chdir --uid --gid --hostname --tmpfs --dev --proc --dir --perms --cap-add
        --cap-drop --seccomp
      `,
    afterDashes: true,
  },
  'gosu|su-exec|setpriv': { skip: 1 },
  su: {
    takes: '-s --shell -g --group -G --supp-group -w',
    code: '-c --command',
    onlyCode: true,
    login: true,
  },
  runuser: { takes: '-u --user -s --shell -g --group -G --supp-group', code: '-c --command' },
  'systemd-run': {
    takes: '-u --unit -p --property -M --machine -E --setenv --uid --gid --slice --on-active',
  },
  script: { code: '-c --command', takes: '-O --log-out -I -B -T -E -m -o', skip: 1 },
  watch: { takes: '-n --interval', shell: true },
  'entr|watchexec|hyperfine|concurrently|nodemon': {
    takes: '-w --watch -e --exts --ext -n --names -c -r --runs -p --prepare -d --delay --workdir',
    code: '--exec -x --prepare --cleanup',
    shell: true,
  },
  'ssh|mosh': {
    takes: '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B',
    skip: 1,
    shell: true,
    login: true,
  },
  sshpass: { takes: '-p -f -d -P' },
  'vagrant ssh': { code: '-c --command', onlyCode: true, login: true },
  'gcloud compute ssh': { code: '--command', onlyCode: true },
  'fly|flyctl ssh console': { code: '-C --command', onlyCode: true },
  'heroku run': { takes: '-a --app -r --remote -s --size', shell: true },
  'multipass|lxc|incus exec': { afterDashes: true },
  'docker|podman|nerdctl run|exec|create': { takes: container, skip: 1 },
  'docker|podman|nerdctl container run|exec': { takes: container, skip: 1 },
  'docker|podman compose run|exec': { takes: `${container} -f --file`, skip: 1 },
  'docker-compose|podman-compose run|exec': { takes: `${container} -f --file`, skip: 1 },
  'kubectl|oc exec': { afterDashes: true },
  'npx|bunx|pnpx': { takes: '-p --package', code: '-c --call', versions: true },
  'npm|pnpm|yarn|bun exec|dlx|x': { takes: '-p --package', code: '-c --call', versions: true },
  uvx: { takes: '--from --with --python', versions: true },
  'pipx run': { takes: '--spec --python', versions: true },
  'poetry|pipenv|pdm|rye|hatch|uv run': {
    takes: '--with --python --env-file -p --package -C --directory --project',
  },
  'bundle exec': {},
  'conda|mamba|micromamba run': { takes: '-n --name -p --prefix --cwd' },
  'mise|asdf exec|x': {},
  'direnv exec': { skip: 1 },
  'aws-vault exec': { skip: 1 },
  'op|doppler|infisical run': { afterDashes: true },
  dotenv: { takes: '-e -f --file -v', assigns: true },
  'nix-shell': { code: '--run --command', onlyCode: true },
  'nix develop': { code: '-c --command' },
  'git bisect run': {},
  'git submodule foreach': { shell: true },
  'tmux new-session|new|neww|new-window|split-window|send-keys': {
    takes: '-s -n -t -c -x -y -F -e',
    shell: true,
  },
  screen: { takes: '-S -t -c -T -L -Logfile -h' },
  proxychains: { takes: '-f' },
  'xvfb-run': { takes: '-s --server-args -n --server-num -e -f' },
  'tini|dumb-init': { takes: '-p' },
};

export interface NamedWrapper extends Wrapper {
  readonly programs: readonly string[];
  /** The alternatives for each word of its subcommand. */
  readonly words: readonly (readonly string[])[];
}

export const wrappers: readonly NamedWrapper[] = Object.entries(rows).map(([name, row]) => {
  const [programs = [], ...words] = name.split(' ').map((word) => word.split('|'));
  return { programs, words, ...complete(row) };
});

function complete({ takes = '', code = '', idle = '', ...row }: Row): Wrapper {
  return {
    takes: names(takes),
    code: names(code),
    idle: names(idle),
    skip: row.skip ?? 0,
    assigns: row.assigns ?? false,
    shell: row.shell ?? false,
    onlyCode: row.onlyCode ?? false,
    afterDashes: row.afterDashes ?? false,
    versions: row.versions ?? false,
    login: row.login ?? false,
  };
}
