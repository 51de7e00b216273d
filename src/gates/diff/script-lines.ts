import { isDockerfile, isMakefile, isPackageJson, isPipeline, isShell } from './kinds.ts';
import { type Hunk, newSide, type Patch } from './patch.ts';
import { regionsOf } from './regions.ts';

/** A text for the shell that a change adds. */
export interface ScriptText {
  readonly number: number;
  readonly text: string;
}

/** What the added lines of a file would have a shell do; commands over several lines are joined. */
export function scriptTexts(patch: Patch): readonly ScriptText[] {
  const { path } = patch.change;
  const form = formOf(path, patch);
  if (form === undefined) return [];
  return patch.hunks.flatMap((hunk) => joined(hunk).flatMap((line) => form(line)));
}

type Form = (line: ScriptText) => readonly ScriptText[];

function formOf(path: string, patch: Patch): Form | undefined {
  if (isPackageJson(path)) return packageScript(patch);
  if (isDockerfile(path)) return after(/^\s*(?:ONBUILD\s+)?RUN\s+(?:--\S+\s+)*/i);
  if (isMakefile(path)) return recipe;
  if (isPipeline(path)) return pipelineStep;
  const first = patch.hunks[0]?.lines.find(({ number, sign }) => number === 1 && sign !== '-')?.text ?? '';
  const isScript = isShell(path) || /^#!.*\b(?:ba|z|k|da|a)?sh\b/.test(first);
  return isScript ? (line) => [line] : undefined;
}

/** A command goes on after a backslash; it counts if any line of it was added. */
function joined(hunk: Hunk): readonly ScriptText[] {
  const found: ScriptText[] = [];
  let begun: { number: number; text: string; isAdded: boolean } | undefined;
  for (const line of newSide(hunk)) {
    const text: string = begun === undefined ? line.text : `${begun.text} ${line.text.trim()}`;
    const isAdded: boolean = line.sign === '+' || begun?.isAdded === true;
    const number: number = begun?.isAdded ? begun.number : line.number;
    const goesOn = /\\\s*$/.test(line.text.slice(-10)) && text.length < maxLength;
    begun = goesOn ? { number, text: text.replace(/\\\s*$/, ''), isAdded } : undefined;
    if (!goesOn && isAdded) found.push({ number, text });
  }
  if (begun?.isAdded) found.push(begun);
  return found;
}

/** Longer than a command that somebody writes. */
export const maxLength = 20_000;

function after(start: RegExp): Form {
  return ({ number, text }) => {
    const [begin] = start.exec(text) ?? [];
    return begin === undefined ? [] : [{ number, text: text.slice(begin.length) }];
  };
}

/** In a Makefile, `$(X)` is a variable and `$$` a dollar. */
function recipe({ number, text }: ScriptText): readonly ScriptText[] {
  if (!text.startsWith('\t')) return [];
  const shell = text
    .replace(/^[\t @+-]+/, '')
    .replace(/\$\((\w+)\)/g, '$$$1')
    .replaceAll('$$', '$');
  return [{ number, text: shell }];
}

/** `run: …`, `- …` under `script:`, and lines of a block, which begin with no key. */
function pipelineStep({ number, text }: ScriptText): readonly ScriptText[] {
  const plain = text.replace(
    /^\s*(?:-\s+)?(?:(?:run|script|command|cmd|bash|sh|entry)\s*:\s*)?(?:[|>][+-]?\s*$)?/,
    '',
  );
  const unquoted = /^(['"])(.*)\1\s*$/.exec(plain)?.[2] ?? plain;
  return /^[\w.-]+\s*:(?:\s|$)/.test(unquoted) ? [] : [{ number, text: unquoted }];
}

function packageScript(patch: Patch): Form {
  const regions = regionsOf(patch);
  return ({ number, text }) => {
    const [, key = '', value = ''] = /^\s*"([^"\\]{1,100})"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
    const region = regions.get(number);
    const isScript = region === 'scripts' || (region === undefined && !isVersion(value));
    return key !== '' && isScript ? [{ number, text: unescaped(value) }] : [];
  };
}

function isVersion(value: string): boolean {
  return /^(?:[\^~>=<*\d]|v\d|npm:|workspace:|file:|link:|git[+:]|github:|https?:|latest|next)/.test(value);
}

function unescaped(value: string): string {
  const decode = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
  return value.replace(/\\u([0-9a-f]{4})/gi, decode).replace(/\\(["\\/])/g, '$1');
}
