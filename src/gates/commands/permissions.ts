import { read } from '../arguments/grammars.ts';
import { valuesOf } from '../arguments/options.ts';
import type { Command } from '../shell/command.ts';

/** Whether a command lets everybody write, or lets programs run as their owner. */
export function loosensPermissions(command: Command): boolean {
  const { program } = command;
  const given = read(command);
  if (program === 'chmod') return isLooseMode(modeOf(command));
  if (/^(?:install|mkdir|mkfifo|mknod)$/.test(program))
    return valuesOf(given, '-m', '--mode').some(isLooseMode);
  if (program === 'rsync') {
    const modes = valuesOf(given, '--chmod').flatMap((value) => value.split(','));
    return modes.some((mode) => isLooseMode(mode.replace(/^[DF]/, '')));
  }
  if (program === 'umask') return given.operands.some(isLooseMask);
  if (program === 'setfacl') {
    return valuesOf(given, '-m', '--modify').some((entries) => /(?:^|[,:])o(?:ther)?::?[r-]?w/.test(entries));
  }
  if (program === 'usermod' || program === 'gpasswd' || program === 'adduser') {
    return command.args.some((argument) => /^(?:sudo|wheel|root|docker|admin)$/.test(argument));
  }
  if (program === 'icacls')
    return command.args.some((argument) => /^(?:everyone|\*S-1-1-0):.*[FMW]/i.test(argument));
  return false;
}

/** The first argument that is no option; `-w` and `-x` are modes. */
export function modeOf({ args }: Command): string {
  return args.find((argument) => !/^-(?:-|[Rcvf]+$)/.test(argument)) ?? '';
}

/** `777`, `o+w`, `a=rw`, `u+s`; not `+w`, from which the shell's mask takes what is for others. */
export function isLooseMode(mode: string): boolean {
  if (/^[0-7]{1,5}$/.test(mode)) {
    const bits = Number.parseInt(mode, 8);
    return (bits & 0o002) !== 0 || (bits & 0o6000) !== 0;
  }
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

/** Whether `chmod` makes files executable. */
export function makesExecutable(command: Command): boolean {
  return command.program === 'chmod' && /\+[rw]*x|=[rw]*x|^0?[0-7]{0,2}[1357]/.test(modeOf(command));
}
