import type { Command } from '../shell/command.ts';

const device =
  /^\/dev\/(?:[shv]d[a-z]|xvd|nvme|mmcblk|disk|r?disk\d|loop|dm-|mapper\/|md\d|mtd|mem$|kmem$|port$|sr\d|vg)/;

/** Whether a command writes to a device, or empties a file by redirecting nothing to it. */
export function overwrites(command: Command): boolean {
  const { args, program, redirects } = command;
  const written = redirects.filter(({ access }) => access !== 'read');
  if (written.some(({ path }) => device.test(path))) return true;
  if (
    printsNothing(command) &&
    written.some(({ access, path }) => access === 'replace' && !path.startsWith('/dev/'))
  )
    return true;
  if (program === 'dd') return overwritesAsDd(args);
  if (program === 'tee') return args.some((argument) => device.test(argument)) || emptiesAsTee(command);
  return /^(?:cp|mv|install)$/.test(program) && device.test(args.at(-1) ?? '');
}

/** Writes to a device, or blanks instead of what was in a file. */
function overwritesAsDd(args: readonly string[]): boolean {
  const [to = ''] = args.flatMap((argument) => (argument.startsWith('of=') ? [argument.slice(3)] : []));
  const isBlank = args.some((argument) => /^if=\/dev\/(?:null|zero|u?random)$/.test(argument));
  return device.test(to) || (isBlank && to !== '' && !to.startsWith('/dev/'));
}

/** `tee a < /dev/null` */
function emptiesAsTee({ args, redirects }: Command): boolean {
  const isEmpty = redirects.some(({ access, path }) => access === 'read' && path === '/dev/null');
  const appends = args.some((argument) => argument === '-a' || argument === '--append');
  const files = args.filter((argument) => !argument.startsWith('-') && !argument.startsWith('/dev/'));
  return isEmpty && !appends && files.length > 0;
}

/** `> a`, `: > a`, `cat /dev/null > a`, `echo -n > a`, `printf '' > a`. */
function printsNothing({ args, program }: Command): boolean {
  if (program === 'cat') return args.length > 0 && args.every((argument) => argument === '/dev/null');
  if (program === 'echo') return args[0] === '-n' && args.slice(1).every((argument) => argument === '');
  if (program === 'printf') return args.length === 1 && args[0] === '';
  return program === '' || program === ':' || program === 'true';
}
