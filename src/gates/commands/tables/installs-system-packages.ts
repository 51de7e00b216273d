import type { CommandRow } from '../rule.ts';

/** Commands that change what is installed for everybody on the machine. */
export const installsSystemPackages: readonly CommandRow[] = [
  {
    command:
      'apt|apt-get|aptitude install|reinstall|remove|purge|autoremove|upgrade|full-upgrade|dist-upgrade|safe-upgrade|build-dep',
    without: '-s --simulate --dry-run --just-print --no-act --recon --print-uris',
  },
  { command: 'add-apt-repository|apt-add-repository' },
  { command: 'dpkg', with: '-i --install -r --remove -P --purge --unpack --configure', without: '--dry-run' },
  {
    command:
      'yum|dnf|microdnf|tdnf install|localinstall|groupinstall|reinstall|remove|erase|autoremove|update|upgrade|downgrade|swap|distro-sync',
    without: '--assumeno',
  },
  { command: 'dnf module|group install|remove|enable' },
  {
    command: 'rpm',
    with: '-i -U -F -e --install --upgrade --freshen --erase',
    without: '-q -V -K --query --verify --test',
  },
  { command: 'zypper … install|in|remove|rm|update|up|dup|dist-upgrade|patch', without: '-D --dry-run' },
  { command: 'apk add|del|upgrade|fix', without: '-s --simulate' },
  { command: 'pacman|yay|paru', with: '-S --sync', without: '-s -i -l -g -p --search --info --print' },
  { command: 'pacman|yay|paru', with: '-U -R --upgrade --remove', without: '-p --print' },
  {
    command: 'brew install|reinstall|upgrade|uninstall|remove|rm|tap|link|cask|bundle',
    without: '-n --dry-run',
  },
  { command: 'port install|uninstall|upgrade' },
  { command: 'snap install|remove|refresh' },
  { command: 'flatpak install|uninstall|remove|update' },
  { command: 'nix-env', with: '-i -iA -u -e --install --upgrade --uninstall' },
  { command: 'nix profile install|add|remove|upgrade' },
  { command: 'guix install|remove|upgrade' },
  { command: 'emerge', without: '-p --pretend -s --search -S --searchdesc --info' },
  { command: 'xbps-install|xbps-remove|pkg_add|pkg_delete' },
  { command: 'pkg|opkg install|remove|delete|upgrade' },
  { command: 'choco|winget|scoop install|uninstall|upgrade|update' },
  {
    command: 'npm|pnpm|bun install|i|in|isntall|add|a|update|up|upgrade|uninstall|un|unlink|remove|rm|r|ci',
    with: '-g --global --location=global',
  },
  { command: 'yarn global add|remove|upgrade' },
  { command: 'pip|pip3 install|uninstall', with: '--break-system-packages' },
  { command: 'uv pip install|uninstall|sync', with: '--system --break-system-packages' },
  { command: 'sudo|doas pip*|gem install|uninstall' },
  { command: 'sudo|doas python* pip install|uninstall' },
  { command: 'playwright install-deps' },
  { command: 'playwright install', with: '--with-deps' },
  { command: 'dotnet tool install|update|uninstall', with: '-g --global' },
  { command: 'composer global require|remove|update' },
  { command: 'installer', with: '-pkg' },
  { command: 'softwareupdate', with: '-i --install' },
  { command: 'mas|tlmgr install|upgrade|uninstall|remove' },
  { command: 'gdebi' },
];
