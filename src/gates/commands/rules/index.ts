import type { CallRule } from '../../../steering/gate-rules.ts';
import { changesAutomation as automationFiles } from '../../path-rules/automation.ts';
import type { Command } from '../command.ts';
import { commandRule, type Known } from '../command-rule.ts';
import { readsSecrets, writes } from '../paths.ts';
import { changesProduction, isOnSafeCluster } from './changes-production.ts';
import { deletesFiles } from './deletes-files.ts';
import { dropsData } from './drops-data.ts';
import { loosensPermissions } from './loosens-permissions.ts';
import { runsRemoteCode } from './runs-remote-code.ts';

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

const changes =
  'install|localinstall|groupinstall|reinstall|in|add|remove|rm|erase|del|delete|purge|autoremove|uninstall|upgrade|*-upgrade|dup|refresh|build-dep|downgrade|swap|distro-sync|patch|fix|tap|link|cask|bundle';

/** Commands that change what is installed for everybody on the machine. */
const installsSystemPackages = commandRule(
  'installs-system-packages',
  `
  apt|apt-get|aptitude|yum|dnf|microdnf|tdnf|zypper|apk|brew|port|snap|flatpak|mas|tlmgr|guix|pkg|opkg|choco|winget|scoop ${changes} unless -s -D -n --simulate --dry-run --just-print --no-act --print-uris --assumeno
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

/** Of variables of the environment. */
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

/** All rules about commands, in the order in which hits are told. */
export const commandRules = [
  ...[deletesFiles, dropsData, changesProduction, installsSystemPackages, touchesSecrets],
  ...[rewritesHistory, loosensPermissions, changesAutomation, runsRemoteCode],
];

/** The rules that one command hits by itself; on a safe cluster, nothing is production. */
export function rulesOf(command: Command, known: Known): readonly CallRule[] {
  const hit = commandRules.filter(({ matches }) => matches(command, known)).map(({ rule }) => rule);
  return isOnSafeCluster(command, known.gates?.safe_clusters ?? [])
    ? hit.filter((rule) => rule !== 'changes-production')
    : hit;
}
