import { type Command, isKnown } from '../commands/command.ts';
import { operandsOf } from '../commands/options.ts';

/** Programs that delete files of the workspace as a part of ordinary work: build results, temporary files. */
const ordinary = new Set([
  'rm',
  'rmdir',
  'unlink',
  'rimraf',
  'shx',
  'del-cli',
  'truncate',
  'find',
  'del',
  'erase',
  'rd',
  'remove-item',
  'grm',
  'grmdir',
  'gunlink',
]);

/** Programs that empty a file as they write others. */
const writers = new Set([
  '',
  ':',
  'true',
  'cat',
  'echo',
  'printf',
  'tee',
  'cp',
  'mv',
  'install',
  'dd',
  '(…)',
]);

const device = /^(?:of=)?\/dev\/(?!null\b|std|tty|fd\/|zero\b|u?random\b|shm\/)/;

/**
 * Whether a command in a script deletes more than its own results: recursively what a variable names, what is
 * outside of the workspace, or all of it. Other ways to delete, such as wiping a disk, always count.
 */
export function destroysMuch(command: Command): boolean {
  const { args, program, redirects } = command;
  if (writers.has(program))
    return [...args, ...redirects.map(({ path }) => path)].some((one) => device.test(one));
  if (!ordinary.has(program)) return true;
  if (/^(?:unlink|rmdir|grmdir|gunlink|truncate)$/.test(program)) return false;
  const isRecursive =
    program === 'find' ||
    program === 'rimraf' ||
    args.some((argument) => /^-(?:-recursive|[a-z]*r)/i.test(argument));
  return isRecursive && operandsOf(args).some(isFar);
}

const temporary =
  /^\/(?:tmp|var\/tmp|var\/lib\/apt|var\/cache|root\/\.(?:cache|npm)|usr\/share\/(?:doc|man))\b/;

/** Not a literal path below the workspace. */
function isFar(operand: string): boolean {
  if (temporary.test(operand)) return false;
  return !isKnown(operand) || /^(?:\/|~|\.\.(?:\/|$)|\.\/?$|\*$|\.\/\*$)/.test(operand);
}
