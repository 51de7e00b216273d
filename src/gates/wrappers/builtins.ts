import type { Command, Inner } from '../shell/command.ts';
import { fileContent } from '../shell/scope.ts';

/** Commands that run a text as the shell itself does. */
export const builtins: Readonly<Record<string, (command: Command) => readonly Inner[]>> = {
  eval: ({ args }) => [{ kind: 'shell', text: (args[0] === '--' ? args.slice(1) : args).join(' ') }],
  source: (command) => sourced(command),
  '.': (command) => sourced(command),
  trap: ({ args }) => {
    const [text = '', signal] = args.filter((argument) => !/^-[-lp]?$/.test(argument));
    return signal === undefined ? [] : [{ kind: 'shell', text }];
  },
  at: ({ input }) => (input === undefined ? [] : [{ kind: 'shell', text: input }]),
  batch: ({ input }) => (input === undefined ? [] : [{ kind: 'shell', text: input }]),
  yarn: (command) => ownTool(command),
  pnpm: (command) => ownTool(command),
  bun: (command) => ownTool(command),
  git: ({ args }) => gitCode(args),
  cmd: ({ args }) => afterSlashC(args),
  tar: ({ args }) => optionCode(args, /^--(?:to-command|checkpoint-action=exec)=/),
  iex: ({ args, input = '' }) => [{ kind: 'shell', text: args.join(' ') || input }],
  'invoke-expression': ({ args, input = '' }) => [{ kind: 'shell', text: args.join(' ') || input }],
};

/** A file that the line wrote, or `/dev/stdin`. */
function sourced({ args, files, input }: Command): readonly Inner[] {
  const [path = '', ...others] = args[0] === '--' ? args.slice(1) : args;
  const text = path === '/dev/stdin' || path === '-' ? input : fileContent({ files }, path);
  if (text === undefined) return [];
  return [{ kind: 'shell', text, ...(others.length > 0 ? { positionals: ['sh', ...others] } : {}) }];
}

/** `cmd /c del a`. */
function afterSlashC(args: readonly string[]): readonly Inner[] {
  const at = args.findIndex((argument) => /^\/[ck]$/i.test(argument));
  return at < 0 ? [] : [{ kind: 'shell', text: args.slice(at + 1).join(' ') }];
}

/** `git -c alias.x='!rm a' x`, `git rebase --exec 'rm a'`, `git filter-branch --tree-filter 'rm a'`. */
function gitCode(args: readonly string[]): readonly Inner[] {
  return args.flatMap((argument, index) => {
    const [, isShell, alias] = /^alias\.[\w.-]+=(!?)([\s\S]*)$/.exec(argument) ?? [];
    if (alias !== undefined && args[index - 1] === '-c')
      return [{ kind: 'shell', text: isShell ? alias : `git ${alias}` } as const];
    const [, attached] = /^--(?:exec|\w+-filter)=([\s\S]*)$/.exec(argument) ?? [];
    const takesCode = /^(?:-x|--exec|--\w+-filter)$/.test(argument);
    const text = attached ?? (takesCode ? args[index + 1] : undefined);
    const runsCode = args.includes('rebase') || args.includes('filter-branch');
    return text !== undefined && runsCode ? [{ kind: 'shell', text } as const] : [];
  });
}

function optionCode(args: readonly string[], option: RegExp): readonly Inner[] {
  return args
    .filter((argument) => option.test(argument))
    .map((argument) => {
      return { kind: 'shell', text: argument.replace(option, '') };
    });
}

/** `yarn rimraf dist` runs the tool of that name, while `pnpm rm` is a command of pnpm's own. */
const tools = new Set(
  'rimraf del-cli shx prisma typeorm sequelize sequelize-cli knex wrangler vercel netlify firebase serverless sls cdk supabase'.split(
    ' ',
  ),
);

function ownTool({ args }: Command): readonly Inner[] {
  const at = args.findIndex((argument) => !argument.startsWith('-') && argument !== 'run');
  return tools.has(args[at] ?? '') ? [{ kind: 'words', words: args.slice(at) }] : [];
}
