import type { Command } from './command.ts';
import { download } from './downloads.ts';
import { downloaded, isKnown, printed, unknown } from './marks.ts';
import { assign, fileContent, type Scope, writeFile } from './scope.ts';

/** Keeps what a command changes for those after it: variables, aliases and files. */
export function remember(command: Command, scope: Scope): void {
  const loaded = download(command);
  if (loaded?.file !== undefined) writeFile(scope, loaded.file, downloaded);
  effects[command.program]?.(command, scope);
}

const effects: Readonly<Record<string, (command: Command, scope: Scope) => void>> = {
  alias: ({ args }, scope) => {
    for (const argument of args) {
      const [, name = '', text = ''] = /^([^=]+)=([\s\S]*)$/.exec(argument) ?? [];
      if (name !== '') scope.aliases.set(name, text);
    }
  },
  set: ({ args }, scope) => {
    if (args[0] === '--') assign(scope, '@', args.slice(1));
  },
  read: ({ args, input }, scope) => {
    const names = args.filter((argument) => /^\w+$/.test(argument));
    const [line = ''] = (input ?? unknown).split('\n', 1);
    const values = names.length > 1 ? line.split(/\s+/) : [line];
    for (const [index, name] of names.entries()) assign(scope, name, [values[index] ?? '']);
  },
  printf: ({ args }, scope) => {
    if (args[0] === '-v' && args[1] !== undefined) assign(scope, args[1], [unknown]);
  },
  tee: ({ args, input }, scope) => {
    for (const file of args) if (!file.startsWith('-')) writeFile(scope, file, input ?? printed);
  },
  cp: copy,
  mv: copy,
  install: copy,
};

/** A copy of a file that the line wrote is known too. */
function copy({ args }: Command, scope: Scope): void {
  const [from, to] = args.filter((argument) => !argument.startsWith('-')).slice(-2);
  const text = from === undefined ? undefined : fileContent(scope, from);
  if (to !== undefined && text !== undefined && isKnown(to)) writeFile(scope, to, text);
}
