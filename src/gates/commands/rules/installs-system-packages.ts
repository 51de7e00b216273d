import { commandRule } from '../command-rule.ts';

const changes =
  'install|localinstall|groupinstall|reinstall|in|add|remove|rm|erase|del|delete|purge|autoremove|uninstall|upgrade|*-upgrade|dup|refresh|build-dep|downgrade|swap|distro-sync|patch|fix|tap|link|cask|bundle';

/** Commands that change what is installed for everybody on the machine. */
export const installsSystemPackages = commandRule(
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
