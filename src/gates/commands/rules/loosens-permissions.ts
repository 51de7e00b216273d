import { type Command, operandsOf, valuesOf } from '../command.ts';
import { commandRule } from '../command-rule.ts';
import { callsIn } from '../starts.ts';

/** Commands that let more people or programs in. */
export const loosensPermissions = commandRule(
  'loosens-permissions',
  `
  setcap unless -r
  setenforce 0|permissive
  visudo unless -c --check
`,
  (command) => loosens(command) || command.scripts.some((script) => chmod.test(callsIn(script))),
);

/** In Python, JavaScript, Perl and others. */
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

/** The first argument that is no option; `-w` and `-x` are modes. */
export function modeOf({ args }: Command): string {
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
