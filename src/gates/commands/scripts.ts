import { anyOf } from '../../text/pattern/any-of.ts';
import type { Inner } from './command.ts';

/** A script without what stands in quotes, which is not a call. */
export function callsIn(script: string): string {
  return script.replace(/'[^'\n]*'|"[^"\n]*"/g, "''");
}

/** The functions that start a program or a shell, in Python, JavaScript, Ruby, Perl, PHP and awk. */
const starters = anyOf(
  [
    String.raw`\b(?:system|popen|exec|execSync|execFile|execFileSync|spawn|spawnSync|execa|shell_exec)\b\s*\(?`,
    String.raw`\b(?:passthru|check_call|check_output|getoutput|subprocess\.\w+)\b\s*\(?`,
  ],
  'g',
);

const maxCalls = 50;

/** What a script gives to a shell, as in `os.system('rm a')`, or starts as words: `spawn('rm', ['a'])`. */
export function startedByScript(script: string): readonly Inner[] {
  const calls = [...script.matchAll(starters)].slice(0, maxCalls);
  return calls.flatMap(({ 0: call, index }): readonly Inner[] => {
    const [rest = ''] =
      /^\s*\[?\s*['"`][^\n]*/.exec(script.slice(index + call.length, index + call.length + 1_000)) ?? [];
    const [text, ...others] = literals(rest);
    if (text === undefined) return [];
    return /\s/.test(text) ? [{ text }] : [{ words: [text, ...others] }];
  });
}

/** Everything that is quoted in a script. */
export function literals(script: string): readonly string[] {
  const quoted = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\[\s\S])*)`/g;
  const found = [...script.matchAll(quoted)].slice(0, 1_000);
  return found.map(([, one, two, three]) =>
    (one ?? two ?? three ?? '').replace(/\\(.)/gs, (_, letter) => (letter === 'n' ? '\n' : letter)),
  );
}
