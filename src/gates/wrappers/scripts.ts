import type { Command, Inner } from '../shell/command.ts';
import { fileContent } from '../shell/scope.ts';

interface Language {
  /** The options whose value is the script. */
  readonly code: RegExp;
  /** The options that take another value. */
  readonly takes?: RegExp;
  /** Whether the first operand is the script itself. */
  readonly operand?: true;
  /** Whether all that follows the option is the script. */
  readonly rest?: true;
}

const javascript: Language = {
  code: /^(?:-e|-p|-pe|-ep|--eval|--print)$/,
  takes: /^(?:-r|--require|--import|-C|--loader|--env-file|-t|--test-name-pattern)$/,
};
const python: Language = { code: /^-[a-zA-Z]*c$/, takes: /^-[WX]$/ };
const powershell: Language = {
  code: /^-(?:c|command)$/i,
  takes: /^-(?:executionpolicy|workingdirectory|wd)$/i,
  rest: true,
};
const awk: Language = { code: /^--source$/, takes: /^-[Fvf]$/, operand: true };

/** Programs that run a script in another language than the shell's. */
const languages: Readonly<Record<string, Language>> = {
  python,
  pypy: python,
  node: javascript,
  nodejs: javascript,
  bun: { code: /^(?:-e|-p|--eval|--print)$/ },
  deno: { code: /^eval$/ },
  tsx: javascript,
  'ts-node': javascript,
  ruby: { code: /^-[a-zA-Z]*e$/, takes: /^-[rICx]$/ },
  perl: { code: /^-[a-zA-Z0-9.]*[eE]$/, takes: /^-[IMm]$/ },
  php: { code: /^(?:-r|--run)$/, takes: /^-[dcf]$/ },
  lua: { code: /^-e$/, takes: /^-l$/ },
  rscript: { code: /^-e$/ },
  r: { code: /^-e$/ },
  osascript: { code: /^-e$/ },
  groovy: { code: /^-e$/ },
  pwsh: powershell,
  powershell,
  awk,
  gawk: awk,
  mawk: awk,
};

export interface Script {
  readonly text: string;
  readonly language: string;
}

/** The scripts in a command's arguments, in its input, or in a file that the line wrote. */
export function scriptsOf({ program, args, files, input }: Command): readonly Script[] {
  const language = languages[program];
  if (language === undefined) return [];
  const { code, operand } = split(args, language);
  if (code.length > 0) return code.map((text) => ({ text, language: program }));
  if (language.operand) return operand === undefined ? [] : [{ text: operand, language: program }];
  const readsInput = operand === undefined || operand === '-' || operand === '/dev/stdin';
  const text = readsInput ? input : fileContent({ files }, operand);
  return text === undefined ? [] : [{ text, language: program }];
}

function split(args: readonly string[], { code, takes, rest }: Language) {
  const texts: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (code.test(argument)) {
      index += 1;
      texts.push(rest ? args.slice(index).join(' ') : (args[index] ?? ''));
      // What follows are the script's own arguments.
      if (argument !== '-e') return { code: texts, operand: undefined };
    } else if (/^--(?:eval|print|run)=/.test(argument)) texts.push(argument.replace(/^[^=]*=/, ''));
    else if (takes?.test(argument)) index += 1;
    else if (argument === '-m') return { code: [], operand: 'a module' };
    else if (argument === '-' || !argument.startsWith('-')) return { code: texts, operand: argument };
  }
  return { code: texts, operand: undefined };
}

/** What scripts give to a shell, or start as a list of words; `python -m` starts a module as a program. */
export function startedByScripts(command: Command): readonly Inner[] {
  const { args, program } = command;
  if (program === 'python' && args[0] === '-m' && args.length > 1) {
    return [{ kind: 'words', words: args.slice(1) }];
  }
  return scriptsOf(command).flatMap(({ text, language }) => [
    ...shellTexts(text),
    ...wordLists(text),
    ...(backticks.has(language) ? quotedForShell(text) : []),
    ...(languages[language] === powershell ? plainCommands(text) : []),
  ]);
}

/** Languages in which a text in backticks is run by a shell. */
const backticks = new Set(['perl', 'ruby', 'php']);

function quotedForShell(script: string): readonly Inner[] {
  const found = [...script.matchAll(/`([^`]+)`/g)].slice(0, maxTexts);
  return found.map(([, text = '']) => ({ kind: 'shell', text }));
}

/** What PowerShell runs just as a shell would: `git push -f; kubectl delete pod a`. */
function plainCommands(script: string): readonly Inner[] {
  const plain = /^\s*[\w./-]+(?:\s+(?:[\w./:=@+*,-]+|'[^'`$]*'|"[^"`$]*"))*\s*$/;
  const parts = script.split(/[;|&\n{}]+/).slice(0, maxTexts);
  return parts.filter((text) => plain.test(text)).map((text) => ({ kind: 'shell', text }));
}

/** The functions that start a program or a shell, in Python, JavaScript, Ruby, Perl, PHP and awk. */
const starters =
  'system popen exec execSync execFile execFileSync spawn spawnSync execa shell_exec passthru check_call check_output getoutput getstatusoutput qx subprocess\\.\\w+ do\\s+shell\\s+script';

const calls = new RegExp(`\\b(?:${starters.replaceAll(' ', '|')})\\b\\s*\\(?\\s*`, 'g');

const maxTexts = 50;

/** `os.system('rm a')`, `` execSync(`rm a`) ``, `system "rm a"`, `qx(rm a)`. */
function shellTexts(script: string): readonly Inner[] {
  const found = [...script.matchAll(calls)].slice(0, maxTexts).flatMap(({ 0: call, index }) => {
    return literalAt(script, index + call.length) ?? [];
  });
  return found.map((text) => ({ kind: 'shell', text }));
}

/** `subprocess.run(['rm', '-rf', 'a'])`, `spawnSync('rm', ['-rf', 'a'])`. */
function wordLists(script: string): readonly Inner[] {
  return [...script.matchAll(calls)].slice(0, maxTexts).flatMap(({ 0: call, index }) => {
    const rest = script.slice(index + call.length, index + call.length + 1_000);
    const [list] =
      /^[^;)\n]*?\[[^\]]*\]/.exec(rest) ?? /^\s*(?:'[^']*'|"[^"]*")\s*,[^;)\n]*/.exec(rest) ?? [];
    const words = list === undefined ? [] : literals(list);
    return words.length > 1 ? [{ kind: 'words', words } as const] : [];
  });
}

/** The text that is quoted at a place. */
function literalAt(script: string, at: number): string | undefined {
  const [, single, double, template] =
    /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/s.exec(script.slice(at)) ?? [];
  return (single ?? double ?? template)?.replace(/\\(.)/gs, (_, letter) => {
    return letter === 'n' ? '\n' : letter === 't' ? '\t' : letter;
  });
}

/** Everything that is quoted in a script. */
export function literals(script: string): readonly string[] {
  const quoted =
    /'((?:[^'\\\n]|\\.)*)(?:'|\\?$|(?=\n))|"((?:[^"\\\n]|\\.)*)(?:"|\\?$|(?=\n))|`((?:[^`\\]|\\[\s\S])*)(?:`|\\?$)/g;
  return [...script.matchAll(quoted)].slice(0, 1_000).map(([, one, two, three]) => one ?? two ?? three ?? '');
}
