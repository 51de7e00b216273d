import type { CallRule } from '../../steering/shapes/gate-rules.ts';
import { anyOf, raw } from '../../text/regexp.ts';
import { executedDownload } from '../reading/downloads.ts';
import {
  changesAutomation as automationFiles,
  changesProduction as productionFiles,
} from '../reading/file-kinds.ts';
import { destroysData } from '../reading/sql.ts';
import { readsSecrets, writes } from './named-files.ts';
import {
  type Command,
  commandRule,
  downloaded,
  type Known,
  names,
  operandsOf,
  valuesOf,
} from './shell-command.ts';
import { callsIn, literals } from './starts.ts';

/** Commands after which commits that others have, or that nothing else refers to, are gone. */
const rewritesHistory = commandRule(
  'rewrites-history',
  `
  git push with -f --force --force-with-lease --mirror --delete -d --prune +* :* unless -n --dry-run
  git reset with --hard
  git filter-branch|filter-repo
  git-filter-repo|bfg
  java *bfg*.jar
  git branch with -D -f --force
  git lfs migrate import|export
  git update-ref with -d
  git reflog expire|delete unless -n --dry-run
  git stash drop|clear
  gh repo delete
`,
);

/** Commands that change what is installed for everybody on the machine. */
const installsSystemPackages = commandRule(
  'installs-system-packages',
  `
  apt|apt-get|aptitude|yum|dnf|microdnf|tdnf|zypper|apk|brew|port|snap|flatpak|mas|tlmgr|guix|pkg|opkg|choco|winget|scoop install|localinstall|groupinstall|reinstall|in|add|remove|rm|erase|del|delete|purge|autoremove|uninstall|upgrade|*-upgrade|dup|refresh|build-dep|downgrade|swap|distro-sync|patch|fix|tap|link|cask|bundle unless -s -D -n --simulate --dry-run --just-print --no-act --print-uris --assumeno
  yum|dnf|microdnf|tdnf|zypper|flatpak|scoop update|up
  dnf module|group install|remove|enable
  add-apt-repository|apt-add-repository|xbps-install|xbps-remove|pkg_add|pkg_delete|gdebi
  dpkg|rpm|installer|softwareupdate with -i -r -U -F -e -P -pkg --install --remove --purge --unpack --configure --upgrade --freshen --erase unless -q -V -K --query --verify --test --dry-run
  pacman|yay|paru with -S --sync unless -s -i -l -g -p --search --info --print
  pacman|yay|paru with -U -R --upgrade --remove unless -p --print
  nix-env with -i -iA -u -e --install --upgrade --uninstall
  nix profile install|add|remove|upgrade
  emerge unless -p --pretend -s --search -S --searchdesc --info
  npm|pnpm|bun install|i|in|add|a|update|up|upgrade|uninstall|un|unlink|remove|rm|r|ci with -g --global --location=global
  yarn|composer global add|require|remove|upgrade|update
  pip|pip3 install|uninstall with --break-system-packages
  uv pip install|uninstall|sync with --system --break-system-packages
  sudo|doas pip*|gem install|uninstall
  sudo|doas python* pip install|uninstall
  playwright install-deps
  playwright install with --with-deps
  dotnet tool install|update|uninstall with -g --global
`,
);

/** Commands that change what runs by itself. */
const changesAutomation = commandRule(
  'changes-automation',
  `
  gh workflow enable|disable
  git config … core.hookspath *
`,
  (command, { isAgentSetting }) =>
    writes(command, (path) => automationFiles.matches(path) || isAgentSetting?.(path) === true),
);

/** Variables of the environment with such a name hold secrets. */
const secretName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PRIVATE_KEY|API_KEY|ACCESS_KEY|CREDENTIALS?)(?:_|$)/;

/** Commands that read, print or change secrets. */
const touchesSecrets = commandRule(
  'touches-secrets',
  `
  gh auth token
  gh auth status with -t --show-token
  gh|fly|flyctl secret|secrets set|unset|delete|remove|import
  git credential fill|get
  git-credential-*
  gcloud|az … print-access-token|print-identity-token|get-access-token
  gcloud secrets versions access
  az keyvault secret show|set|download
  aws secretsmanager|configure|ecr|ecr-public|sts get-secret-value|put-secret-value|export-credentials|get-login-password|get-session-token|assume-role*
  aws ssm get-parameter* with --with-decryption
  aws|npm configure|config get|set *secret*|*session_token*|*_auth*|*_password*
  bw|pass|vault|op|sops|ansible-vault get|list|show|insert|edit|read|write|delete|inject|decrypt|view|rm
  vault|op kv|item get|put|delete
  doppler secrets
  vercel env pull
  kubectl|oc get secret|secrets|secret/* with -o --output
  security find-generic-password|find-internet-password|dump-keychain
  gpg with --export-secret-keys --export-secret-subkeys
  sops with -d --decrypt
  heroku auth:token
`,
  (command) =>
    readsSecrets(command) ||
    (command.program === 'printenv' && command.args.some((argument) => secretName.test(argument))),
);

const cloud =
  'create|delete|put|update|modify|terminate|run|start|stop|reboot|attach|detach|associate|disassociate|deploy|register|deregister|restore|revoke|authorize|execute|enable|disable|reset|import|release|apply|set|add|remove';

/** Commands that change infrastructure or clusters, or publish. */
const changesProduction = commandRule(
  'changes-production',
  `
  terraform|tofu|terragrunt|pulumi|helm|istioctl|cdk|cdktf|sam|serverless|sls|sst|kamal|fly|flyctl|firebase|wrangler apply|up|update|deploy|redeploy|destroy|delete|del|un|install|uninstall|upgrade|rollback|import|taint|untaint|force-unlock|refresh|cancel|scale|sync|bootstrap|remove|setup|publish unless --dry-run --preview-only
  helmfile|skaffold|flux … run|deploy|apply|sync|destroy|delete|suspend|resume|reconcile|bootstrap
  eksctl|kubeadm|nomad create|delete|upgrade|scale|drain|init|join|reset|run|stop unless --dry-run
  terraform|tofu|terragrunt|pulumi|argocd|nomad|fly|flyctl run-all|run|state|workspace|stack|app|job|apps|machine|machines|volumes apply|destroy|rm|mv|push|replace-provider|delete|sync|create|set|rollback|patch|run|stop|revert|scale
  kubectl|oc apply|create|delete|replace|patch|edit|scale|autoscale|set|label|annotate|expose|run|taint|drain|cordon|uncordon|debug|new-app|new-project|adm|policy unless --dry-run --list
  kubectl|oc rollout|auth|certificate restart|undo|pause|resume|reconcile|approve|deny unless --dry-run
  kubectl|oc cp * *:*
  docker stack|service deploy|up|rm|remove|down|create|update|scale|rollback
  cap * deploy*
  ansible-playbook unless -C --check --syntax-check --list-hosts --list-tasks --list-tags
  heroku *:set|*:unset|*:rollback|rollback|ps:scale|apps:destroy|destroy
  vercel|netlify with -p --prod
  vercel rm|remove|promote|rollback
  npm|pnpm|yarn|bun|lerna|changeset|uv|poetry|flit|hatch|pdm|cargo publish|unpublish|deprecate|yank unless -n --dry-run
  npm|pnpm dist-tag|dist-tags add|rm|set
  yarn npm publish unless -n --dry-run
  gem|twine|dotnet … push|yank|upload|delete
  semantic-release|goreleaser unless -d --dry-run --snapshot
  docker|podman|nerdctl push
  docker|podman|nerdctl image|compose … push
  docker-compose|podman-compose … push
  docker|podman|nerdctl build|buildx with --push
  gh release create|delete|edit|upload
  gh pr|workflow merge|run
  aws * deploy|${cloud.replaceAll(/\w+/g, '$&-*')} unless --dry-run
  gcloud !config|auth|components|init|info|emulators|topic|help … ${cloud}
  az !config|configure|account|login|logout|extension|cache|bicep|help … ${cloud}
`,
  (command) => writes(command, productionFiles.matches),
);

/** The options that name a context, by program. */
const contexts: Readonly<Record<string, string>> = {
  ...{ kubectl: '--context', oc: '--context', flux: '--context', istioctl: '--context' },
  ...{ helm: '--kube-context', helmfile: '--kube-context', skaffold: '--kube-context' },
};

/** Whether a command names a cluster, and only ones that the owners call safe. */
function isOnSafeCluster({ args, program }: Command, safe: readonly string[]): boolean {
  const named = valuesOf(args, contexts[program] ?? '--none');
  return named.length > 0 && named.every((name) => safe.includes(name));
}

/** Commands that let more people or programs in. */
const loosensPermissions = commandRule(
  'loosens-permissions',
  `
  setcap unless -r
  setenforce 0|permissive
  visudo unless -c --check
`,
  (command) => loosens(command) || command.scripts.some((script) => chmod.test(callsIn(script))),
);

/** Python, JavaScript, Perl and others call it like this. */
const chmod = /\bchmod(?:Sync)?\s*[( ][^)]{0,200}?\b0?o?(?:[0-7]{0,2}[0-7]{2}[2367]|[2-7][0-7]{3})\b/;

/** Whether a command lets everybody write, or lets programs run as their owner. */
function loosens(command: Command): boolean {
  const { args, program } = command;
  if (program === 'chmod') return isLooseMode(modeOf(command));
  if (!/^(?:install|mk\w+|rsync|setfacl|umask|icacls|usermod|gpasswd|adduser)$/.test(program)) return false;
  const values = valuesOf(args, '-m', '--mode', '--modify', '--chmod').flatMap((value) => value.split(','));
  if (/^(?:install|mk\w+)$/.test(program)) return values.some(isLooseMode);
  if (program === 'rsync') return values.some((mode) => isLooseMode(mode.replace(/^[DF]/, '')));
  if (program === 'setfacl') return values.some((entry) => /(?:^|:)o(?:ther)?::?[r-]?w/.test(entry));
  if (program === 'umask') return operandsOf(args).some(isLooseMask);
  if (program === 'icacls') return args.some((each) => /^(?:everyone|\*S-1-1-0):.*[FMW]/i.test(each));
  const groups = /^(?:sudo|wheel|root|docker|admin)$/;
  return args.some((each) => groups.test(each));
}

/** Finds the first argument that is no option; `-w` and `-x` are modes. */
function modeOf({ args }: Command): string {
  return args.find((argument) => !/^-(?:-|[Rcvf]+$)/.test(argument)) ?? '';
}

/** `777`, `o+w`, `a=rw`, `u+s`; not `+w`, from which the shell's mask takes what is for others. */
export function isLooseMode(mode: string): boolean {
  if (/^[0-7]{1,5}$/.test(mode)) return (Number.parseInt(mode, 8) & 0o6002) !== 0;
  return mode.split(',').some((clause) => {
    const [, who = '', changes = ''] = /^([ugoa]*)((?:[-+=][rwxXstugo]*)+)$/.exec(clause) ?? [];
    const added = [...changes.matchAll(/[+=]([^-+=]*)/g)].map(([, given]) => given).join('');
    return (/[oa]/.test(who) && added.includes('w')) || (added.includes('s') && !/^o+$/.test(who));
  });
}

/** `000` and `0` leave everything to others. */
function isLooseMask(mask: string): boolean {
  if (/^[0-7]{1,4}$/.test(mask)) return (Number.parseInt(mask, 8) & 0o002) === 0;
  return mask.split(',').some((clause) => /^(?:[ug]*[oa][ugoa]*)[+=][rwx]*w/.test(clause));
}

/** Commands that run what was downloaded, or what they download. */
const runsRemoteCode = commandRule('runs-remote-code', '', (command) => {
  if (command.file?.includes(downloaded) || command.scripts.some(runsDownload)) return true;
  return preparesDownload(command) || fetchesPackage(command);
});

function runsDownload(script: string): boolean {
  return script.includes(downloaded) || executedDownload([{ number: 1, text: script }]).length > 0;
}

/** `chmod +x` on what was downloaded, `java -jar` of it. */
function preparesDownload(command: Command): boolean {
  const { args, program } = command;
  const isMode = /\+[rw]*x|=[rw]*x|^0?[0-7]{0,2}[1357]/;
  const prepares = program === 'java' || (program === 'chmod' && isMode.test(modeOf(command)));
  return prepares && args.some((argument) => argument.includes(downloaded));
}

/** Programs that fetch a package from wherever they are told, and run it or its set-up. */
const fetching = anyOf([
  '^(?:npx|bunx|pnpx|uvx|pipx (?:run|install)|uv tool (?:run|install)|(?:uv )?pip3? (?:install|wheel)) ',
  '^(?:(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|(?:deno|bun) run) ',
]);
/** These options name where registries are. */
const registry = /^(?:-[if]|--(?:extra-)?index(?:-url)?|--find-links|--trusted-host|--proxy)(?:=|$)/;
/** By an address or a repository, not by a name in a registry. */
const elsewhere =
  /^(?:[\w.[\],-]+\s*@\s*)?(?:https?:|git\+|git:|git@|ssh:|(?:github|gitlab|bitbucket|gist):)/;

/** `npx github:a/b`, `uvx --from git+https://… tool`; what follows the tool is the tool's own. */
function fetchesPackage({ args, ownArgs, program }: Command): boolean {
  if (!fetching.test(`${program} ${args.join(' ')} `)) return false;
  return args.slice(0, ownArgs.length + 1).some((argument, index) => {
    if (registry.test(argument) || registry.test(args[index - 1] ?? '')) return false;
    return elsewhere.test(argument.replace(/^--[\w-]+=/, ''));
  });
}

/** Commands that delete or empty files, volumes and devices. */
const deletesFiles = commandRule(
  'deletes-files',
  `
  rm|rmdir|unlink|shred|srm|wipe|rimraf|del-cli|trash|trash-*|grm|grmdir|remove-item|del|erase|rd|truncate|gtruncate
  shx|gsutil|mc|gio … rm|rb|trash|remove
  git rm|prune unless -n --dry-run
  git clean with -f --force unless -n --dry-run
  git worktree remove
  git gc with --prune=now --prune=all
  find with -delete
  rsync|tar with --delete --delete-* --del --remove-source-files --remove-files unless -n --dry-run
  zip with -m --move
  crontab with -r
  journalctl with --vacuum-*
  cp|mv|install /dev/null
  mv … /dev/null
  mkfs*|mke2fs|mkswap|wipefs|blkdiscard|lvremove|vgremove|pvremove
  fdisk|sfdisk|sgdisk|parted unless -l --list -d --dump -p --print -v --verify
  diskutil|cryptsetup|zfs|zpool erase*|reformat|partitiondisk|zerodisk|secureerase|luksformat|destroy
  btrfs subvolume delete
  docker|podman|nerdctl system|volume|image|container|builder|network|buildx prune|reset
  docker|podman|nerdctl volume rm|remove
  docker|podman|nerdctl rm with -v --volumes
  docker|podman|nerdctl container|compose … down|rm with -v --volumes
  docker-compose|podman-compose … down|rm with -v --volumes
  kind|k3d|minikube|vagrant … delete|destroy
  aws s3|s3api rm|rb|delete-object|delete-objects|delete-bucket unless --dryrun
  aws s3 sync with --delete unless --dryrun
  gcloud|az storage … rm|delete|delete-batch
  rclone delete|deletefile|purge|rmdir|rmdirs|sync|move|cleanup unless -n --dry-run
`,
  (command) => overwrites(command) || command.scripts.some(deletes),
);

const device = raw`^(?:of=)?/dev/(?:[shv]d[a-z]|xvd|nvme|mmcblk|disk|r?disk\d|loop|dm-|mapper/|md\d|mtd|k?mem$|sr\d|vg)`;

/** Whether a command writes to a device, or empties a file by writing nothing or blanks to it. */
function overwrites(command: Command): boolean {
  const { args, program, redirects } = command;
  const written = redirects.flatMap(({ access, path }) => (access === 'read' ? [] : [path]));
  const targets = program === 'dd' ? args.filter((each) => each.startsWith('of=')) : args.slice(-1);
  const writes = /^(?:cp|mv|install|tee|dd)$/.test(program);
  if ([...written, ...(writes ? targets : [])].some((path) => device.test(path))) return true;
  if (printsNothing(command))
    return redirects.some(({ access, path }) => access === 'replace' && !path.startsWith('/dev/'));
  const isEmpty =
    redirects.some(({ path }) => path === '/dev/null') && program === 'tee' && !args.includes('-a');
  const isBlank = program === 'dd' && args.some((each) => /^if=\/dev\/(?:null|zero|u?random)$/.test(each));
  return (isEmpty || isBlank) && targets.some((each) => !/^(?:of=)?\/dev\//.test(each));
}

/** `> a`, `: > a`, `cat /dev/null > a`, `echo -n > a`, `printf '' > a`. */
function printsNothing({ args, program }: Command): boolean {
  if (program === 'cat') return args.length > 0 && args.every((each) => each === '/dev/null');
  if (program === 'echo') return args[0] === '-n' && args.slice(1).join('') === '';
  if (program === 'printf') return args.join('') === '';
  return program === '' || program === ':' || program === 'true';
}

/** The functions that delete or empty files, in Python, JavaScript, Ruby, Perl, PHP and R. */
const deletions = anyOf([
  String.raw`\b(?:rmtree|remove_tree|rimraf|send2trash|file\.remove|os\.(?:remove|removedirs|truncate))\s*[({ ]`,
  String.raw`\b(?:rm|rmdir|unlink|truncate)Sync\b|\bfs(?:\.promises|p)?\.(?:rm|truncate)\s*\(|\bpromises\.rm\s*\(`,
  String.raw`\b(?:Deno\.remove|FileUtils\.(?:rm|remove)|(?:File|Dir)\.(?:delete|unlink|rmdir))\w*|\brm_(?:rf?|f)\b`,
  // The word is Perl's own, too.
  String.raw`\b(?:unlink|rmdir)\s*\(|(?<![\w$@%/.])unlink\s*(?:''|[$;]|$)`,
]);

function deletes(script: string): boolean {
  const calls = callsIn(script);
  // A script of Node.js that uses `fs` may call that module by any name.
  return deletions.test(calls) || (/\bfs\b/.test(script) && /\brm\s*\(/.test(calls));
}

/** The clients of databases: what they are told in an argument or in their input is SQL. */
export const clients =
  names(`psql pgcli mysql mariadb mycli sqlite3 sqlite duckdb libsql turso sqlcmd sqlplus isql usql
  cockroach clickhouse-client clickhouse cqlsh snowsql bq trino presto hive beeline impala-shell spark-sql wrangler
  prisma heroku fly rails`);

const tasks =
  'db:drop*|db:reset*|db:purge*|db:truncate_all|db:migrate:reset|db:migrate:undo:all|db:schema:load|db:wipe|migrate:fresh|migrate:refresh|migrate:reset|doctrine:database:drop|doctrine:schema:drop|schema:drop|flush|reset_db|pg:reset|sql-drop|sql:drop|ecto.drop|ecto.reset';

/** Commands that drop or delete data. */
const dropsData = commandRule(
  'drops-data',
  `
  dropdb|dropuser
  mysqladmin|mariadb-admin|redis-cli|valkey-cli|etcdctl|flyway|liquibase … drop|flushall|flushdb|del|unlink|clean|drop-all|dropall
  pg_restore|mongorestore|kafka-topics* with -c --clean --drop --delete
  prisma migrate reset
  prisma db push with --force-reset --accept-data-loss
  rails|rake|artisan|console|manage.py|django-admin|heroku|drush|typeorm|sequelize|sequelize-cli|mix ${tasks}
  php|python *artisan|*console|*manage.py ${tasks}
  knex migrate:rollback with --all
  alembic downgrade base
  diesel|sqlx|supabase|wp database|db reset|drop|clean
  dotnet ef database drop
  rabbitmqctl … delete_queue|purge_queue|reset|force_reset
  aws dynamodb|rds delete-table|delete-item|delete-db-*
  gcloud sql databases|instances delete
  bq|influx rm|delete
`,
  (command) => isToldTo(command) || command.scripts.some(executes),
);

function isToldTo({ args, input = '', program }: Command): boolean {
  const isClient = clients.has(program);
  if (!isClient && !/^(?:mongo|mongosh|redis-cli|valkey-cli)$/.test(program)) return false;
  // The text may be attached to its option: `-e'DROP TABLE x'`.
  const texts = [...args.map((each) => each.replace(/^--[\w-]+=|^-\w/, '')), input];
  if (isClient) return texts.some(destroysData);
  return texts.some((text) => (program.startsWith('mongo') ? documents : keys).test(text));
}

/** The commands and calls of Redis that do so. */
const keys =
  /\bredis\.p?call\(\s*['"](?:flushall|flushdb|del|unlink)\b|^\s*(?:flushall|flushdb|del|unlink)\b/im;
/** The calls of MongoDB's shell that drop or delete. */
const documents = /\.\s*(?:dropDatabase|drop|deleteMany|deleteOne|remove|findOneAndDelete|dropIndexes)\s*\(/;

function executes(script: string): boolean {
  return /\b(?:execute\w*|query|raw|exec)\s*\(/i.test(callsIn(script)) && literals(script).some(destroysData);
}

/** All rules about commands, in the order in which hits are told. */
export const commandRules = [
  ...[deletesFiles, dropsData, changesProduction, installsSystemPackages, touchesSecrets],
  ...[rewritesHistory, loosensPermissions, changesAutomation, runsRemoteCode],
];

/** Finds the rules that one command hits by itself; on a safe cluster, nothing is production. */
export function rulesOf(command: Command, known: Known): readonly CallRule[] {
  const hit = commandRules.filter(({ matches }) => matches(command, known)).map(({ rule }) => rule);
  return isOnSafeCluster(command, known.gates?.safe_clusters ?? [])
    ? hit.filter((rule) => rule !== 'changes-production')
    : hit;
}
