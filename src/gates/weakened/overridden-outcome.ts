import { anyOf } from '../../text/pattern/any-of.ts';
import type { FileReading, Version } from './reading.ts';
import type { SourceLine } from './source-line.ts';

const exiting = anyOf([
  String.raw`\b(?:os\.(?:Exit|_exit)|sys\.exit|process\.(?:exit|reallyExit)|Deno\.exit|System\.exit|Environment\.Exit|process::exit|SystemExit)\(\s*(?:0|None|true)?\s*\)`,
  String.raw`\.halt\(\s*0?\s*\)|\braise\s+SystemExit\s*$`,
  String.raw`\bpytest\.exit\(.*\breturncode\s*=\s*0\b|\bexitstatus\s*=\s*0\b`,
  String.raw`\bon\(\s*["'](?:exit|beforeExit)["'].*\bexitCode\s*=\s*0\b`,
]);

/** `exit` without a module is a call here; in a shell script, `exit 0` is how a test ends. */
const exitingBare = anyOf([
  String.raw`(?:^|[\s{;])(?:Kernel\.)?exit!?(?:\s+(?:0|true)\b|\(\s*(?:0|true)?\s*\))`,
]);

/** Whether a line ends the tests with success, whatever they found. */
export function endsWell({ code, text }: SourceLine, { language: { family } }: FileReading): boolean {
  if (code.trim() === '') return false;
  return exiting.test(code) || /\bon\(/.test(code) ? exiting.test(text) : isBare(code, family);
}

function isBare(code: string, family: string): boolean {
  return ['ruby', 'php', 'python', 'elixir'].includes(family) && exitingBare.test(code);
}

/** Hooks of test runners that leave tests out, or say what came of them. */
const hooks = anyOf([
  String.raw`\bitems\s*\[\s*:\s*\]\s*=\s*(?:\[\s*\]|\[.*\bif\b|list\(\s*\)|items\[)|\bdel\s+items\b|\bitems\.(?:clear|pop|remove)\(`,
  String.raw`\boutcome\s*=\s*["']|\bexcinfo\s*=\s*None\b|\bforce_result\(`,
]);

/** Whoever answers `True` here has done what the runner would have done. */
const answering = /\bdef\s+pytest_(?:ignore_collect|runtestloop|runtest_protocol|pyfunc_call)\b/;

/** An assertion that is given another body: `assert.equal = () => {}`, `globalThis.expect = …`. */
const replaced = anyOf([
  String.raw`^\s*(?:(?:globalThis|global|window|self)\.(?:expect|assert|it|test|describe)|(?:assert|expect|chai|should)(?:\.\w+){1,2})\s*=(?!=)\s*(?:async\s*)?(?:function\b|\(|\w+\s*=>|new\s+Proxy|noop\b|jest\.fn|vi\.fn)`,
]);

/** Whether a line takes the tests, or what they state, out of the hands of their runner. */
export function overridesTests({ code, text }: SourceLine, { lines }: Version): boolean {
  if (replaced.test(code)) return true;
  if (/^\s*return\s+True\b/.test(code) && lines.some((line) => line.changed && answering.test(line.code)))
    return true;
  return hooks.test(code) && hooks.test(text) && lines.some((line) => /\bdef\s+pytest_\w+/.test(line.code));
}
