import { maxLength, together } from '../reading/downloads.ts';
import { isDockerfile, isMakefile, isPackageJson, isPipeline, isShell } from '../reading/kinds.ts';
import { type Hunk, newSide, type Patch, type PatchLine } from '../reading/patch.ts';
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

/** What can be executed and has no ending is mostly a shell script, if its first line is not there. */
function isShellByContent({ change: { path }, hunks, mode }: Patch): boolean {
  const [hunk] = hunks;
  const first = hunk?.lines.find(({ number, sign }) => number === 1 && sign !== '-')?.text;
  if (first === undefined) return mode === '100755' && !/\.[^/]*$/.test(path);
  return /^#!.*\b(?:ba|z|k|da|a)?sh\b/.test(first);
}

function formOf(path: string, patch: Patch): Form | undefined {
  if (isPackageJson(path)) return packageScript(patch);
  if (isDockerfile(path)) return imageStep;
  if (isMakefile(path)) return recipe;
  if (isPipeline(path)) return pipelineStep;
  return isShell(path) || isShellByContent(patch) ? (line) => [line] : undefined;
}

/** A command goes on after a backslash; it counts if any line of it was added. */
function joined(hunk: Hunk): readonly ScriptText[] {
  const goesOn = ({ text }: PatchLine) => /\\\s*$/.test(text.slice(-10));
  return together(newSide(hunk), goesOn).flatMap(([first, ...others]) => {
    const added = [first, ...others].find(({ sign }) => sign === '+');
    if (added === undefined) return [];
    // A shell puts nothing between the two lines; the tab of a Makefile's line is not a part of it.
    const rest = others.map(({ text }) => text.replace(/^\t/, '').replace(/^\s+/, ' '));
    const text = [first.text, ...rest].map((each) => each.replace(/\\\s*$/, '')).join('');
    return [{ number: added.number, text }];
  });
}

const words =
  'ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|MAINTAINER|SHELL|STOPSIGNAL|USER|VOLUME';
const instruction = new RegExp(`^\\s*(?:#|(?:${words}|WORKDIR)\\s)`, 'i');

/** `RUN …`, also as a list of words; what is no instruction is in a here-document. */
function imageStep({ number, text }: ScriptText): readonly ScriptText[] {
  if (instruction.test(text)) return [];
  const command = text.replace(/^\s*(?:ONBUILD\s+)?RUN\s+(?:--\S+\s+)*/i, '');
  const isList = /^\s*\[.*\]\s*$/.test(command);
  return [{ number, text: isList ? command.replace(/^\s*\[|\]\s*$|,(?=\s*")/g, ' ') : command }];
}

/** In a Makefile, `$(X)` is a variable and `$$` a dollar; what is read is run for `$(shell …)` and `!=`. */
function recipe({ number, text }: ScriptText): readonly ScriptText[] {
  const [, called] = /\$\(shell\s([^)]*)/.exec(text) ?? [];
  const [, inline] = /^[^\t#=][^#=]*?(?:!=|:[^#=;]*;)(.*)/.exec(text) ?? [];
  const command = text.startsWith('\t') ? text.replace(/^[\t @+-]+/, '') : inline;
  return [command, called].flatMap((each) => {
    if (each === undefined) return [];
    const shell = each.replace(/\$\((\w+)\)/g, '$$$1').replaceAll('$$', '$');
    return [{ number, text: shell.trim() }];
  });
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

/** A whole package may be written on one line. */
function packageScript(patch: Patch): Form {
  const regions = regionsOf(patch);
  return ({ number, text }) => {
    const around = /"scripts"\s*:\s*\{/.test(text) ? 'scripts' : regions.get(number);
    const pairs = text.slice(0, maxLength).matchAll(/"[^"\\]{1,100}"\s*:\s*"((?:[^"\\]|\\.)*)"/g);
    return [...pairs].flatMap(([, value = '']) => {
      const isScript = around === 'scripts' || (around === undefined && !isVersion(value));
      return isScript ? [{ number, text: unescaped(value) }] : [];
    });
  };
}

function isVersion(value: string): boolean {
  return /^(?:[\^~>=<*\d]|v\d|npm:|workspace:|file:|link:|git[+:]|github:|https?:|latest|next)/.test(value);
}

function unescaped(value: string): string {
  const decode = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
  return value.replace(/\\u([0-9a-f]{4})/gi, decode).replace(/\\(["\\/])/g, '$1');
}
