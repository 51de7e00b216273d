import { type Arguments, argumentsOf, type Grammar, names } from './options.ts';

const git = `
  -C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source
`;
const gitValues =
  '-m -F -o --message --file --author --date --repo --receive-pack --push-option --recurse-submodules';
const container = `
    -H --host --context --config -l --log-level -p --project-name --profile --env-file
    --project-directory -t --time --timeout --filter
  `;
const kubernetes = `
    -n --namespace --context --kubeconfig --cluster --user --as -s --server --token -l --selector -o
    --output -f --filename -k --kustomize -c --container --request-timeout --cache-dir -v --timeout
    --type -p --patch --replicas
  `;
const helm =
  '-n --namespace --kube-context --kubeconfig -f --values --set --version --timeout --repo -o --output';
const packages = '-o --option -c --config-file -t --target-release --default-release';
const npm = `
    --prefix -w --workspace --registry --cache --userconfig --location -C --dir --filter --cwd
    --reporter --loglevel --omit --tag
  `;
const sql = `
    -h --host -U --username --user -u -d --dbname --database -D -p --port -P -c --command -e --execute
    -f --file -q --query -Q -v --set -o --output -S --socket -cmd -i -n --raw-user -a -s --password
    --eval
  `;
const rsync = `
    -e --rsh --exclude --include --filter -f --exclude-from --include-from --files-from --log-file
    --bwlimit --partial-dir --chmod --chown --out-format --port --timeout --rsync-path -T --temp-dir
    -B --block-size
  `;

/** The options before which, or among which, the words of a subcommand stand. */
const takes: Readonly<Record<string, string>> = {
  git: `${git} ${gitValues}`,
  docker: container,
  podman: container,
  nerdctl: container,
  'docker-compose': container,
  kubectl: kubernetes,
  oc: kubernetes,
  helm,
  apt: packages,
  'apt-get': packages,
  aptitude: packages,
  dnf: '-c --config --installroot --releasever --setopt --enablerepo --disablerepo --repo -x --exclude',
  yum: '-c --config --installroot --releasever --setopt --enablerepo --disablerepo --repo -x --exclude',
  apk: '-X --repository -p --root --repositories-file --keys-dir -t --virtual',
  brew: '',
  npm,
  pnpm: npm,
  yarn: npm,
  bun: npm,
  psql: sql,
  mysql: '-h --host -u --user -P --port -D --database -e --execute -S --socket --init-command',
  mariadb: '-h --host -u --user -P --port -D --database -e --execute -S --socket --init-command',
  mysqladmin: '-h --host -u --user -P --port -S --socket',
  'mariadb-admin': '-h --host -u --user -P --port -S --socket',
  'redis-cli': `
      -h -p -s -a -n -u -r -i -d -D --user --pass --sni --tls --cacert --cert --key --eval --pattern
      --count
    `,
  'valkey-cli': '-h -p -s -a -n -u -r -i -d -D --user --pass --eval --pattern --count',
  rsync,
  sudo: '-u --user -g --group -p --prompt -D --chdir -R --chroot -T --command-timeout',
  doas: '-u -C',
  rm: '',
  chmod: '--reference',
  truncate: '-s --size -r --reference',
  cp: '-t --target-directory -S --suffix',
  mv: '-t --target-directory -S --suffix',
  ln: '-t --target-directory -S --suffix',
  install: '-t --target-directory -S --suffix -m --mode -o --owner -g --group',
  mkdir: '-m --mode',
  mkfifo: '-m --mode',
  mknod: '-m --mode',
  tee: '--output-error',
  touch: '-d --date -r --reference -t',
  curl: `
    -o --output -d --data --data-raw --data-binary --data-urlencode --json -H --header -X --request -u
    --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -F --form -T --upload-file -x
    --proxy -w --write-out -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -E
    --cert --key --cacert -K --config --resolve --output-dir --url -D --dump-header -C --continue-at
    -r --range -z --time-cond --limit-rate
  `,
  wget: `
    -O --output-document -P --directory-prefix -o --output-file -a --append-output -U --user-agent
    --header --post-data --post-file -t --tries -T --timeout -w --wait -Q -i --input-file -e --execute
    --user --password -A -R -D -I -X -B -l
  `,
  sed: '-e --expression -f --file -l --line-length',
  grep: `
    -e --regexp -f --file -A -B -C -m --max-count --include --exclude --exclude-dir -d -D --color
    --label --context
  `,
  rg: `
    -e --regexp -f --file -A -B -C -m --max-count -g --glob -t --type -T --type-not -r --replace -j
    --max-depth --iglob --context --sort
  `,
  tar: `
    -f --file -C --directory -T --files-from -X --exclude-from --exclude --transform
    --strip-components -I --use-compress-program
  `,
  base64: '-w --wrap -b -i -o',
  setfacl: '-m --modify -x --remove -M --modify-file -X --remove-file',
  aws: '--region --profile --output --query --endpoint-url --cli-input-json',
  terraform: '',
  pulumi: '-s --stack -C --cwd -m --message -c --config',
};

const longWithOneDash = names('find terraform tofu terragrunt openssl java ffmpeg convert xdotool installer');

const known = new Map(Object.entries(takes).map(([program, text]) => [program, names(text)]));

/** How a program reads its arguments, as far as the rules depend on it. */
export function grammarOf(program: string): Grammar {
  const own = known.get(program);
  return {
    ...(own === undefined ? {} : { takes: own }),
    ...(longWithOneDash.has(program) ? { longWithOneDash: true } : {}),
  };
}

/** The arguments of a command as its program reads them. */
export function read({ program, args }: { program: string; args: readonly string[] }): Arguments {
  return argumentsOf(args, grammarOf(program));
}
