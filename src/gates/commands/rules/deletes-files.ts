import { anyOf } from '../../../text/pattern/any-of.ts';
import { raw } from '../../raw.ts';
import type { Command } from '../command.ts';
import { commandRule } from '../command-rule.ts';
import { callsIn } from '../starts.ts';

/** Commands that delete or empty files, volumes and devices. */
export const deletesFiles = commandRule(
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
