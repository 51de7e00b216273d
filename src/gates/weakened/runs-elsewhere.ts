import { anyOf } from '../../text/pattern/any-of.ts';
import type { FileReading } from './reading.ts';

/** Whether a diff starts to run, for each change, what a condition keeps from running by default. */
export type RunsElsewhere = (condition: string) => boolean;

export function runsElsewhere(readings: readonly FileReading[]): RunsElsewhere {
  const started = readings.filter(({ role }) => role === 'automation').map(startedBy);
  const text = started.join('\n').slice(0, maxText);
  return (condition) => {
    if (text === '') return false;
    if (/#\[ignore\b/.test(condition)) return /\s--(?:include-)?ignored\b/.test(text);
    const tags = goTag.exec(condition)?.[1];
    if (tags !== undefined)
      return tags.includes('!') ? false : isGiven(text, /-tags/, tags.match(/\w+/g) ?? []);
    const feature = /#\[cfg[^\]]*(?<!not\()\bfeature\s*=\s*"([\w-]+)"/.exec(condition)?.[1];
    if (feature !== undefined) return isGiven(text, /--(?:all-)?features|-F\b/, [feature]);
    const variable = wanted.test(condition) ? /\b[A-Z][A-Z\d]*_[A-Z\d_]+\b/.exec(condition)?.[0] : undefined;
    return variable !== undefined && text.split('\n').some((line) => isSet(line, variable));
  };
}

const maxText = 200_000;
const goTag = anyOf([String.raw`^\s*//\s*(?:go:build|\+build)\s+(.+)$`]);

/** Skipped where a variable is not set, and not where it is. */
const wanted = anyOf([
  String.raw`!\s*(?:process|import\.meta)\.env`,
  String.raw`\bnot\s+(?:os\.)?(?:environ|getenv)`,
  String.raw`\b(?:runIf|skipUnless|unless|EnabledIf\w*)\b`,
  String.raw`\.get(?:env)?\([^)]*\)\s+(?:is None|!=)`,
]);

/** What the jobs gain, unless they only run at times, or may fail. */
function startedBy({ new: { lines } }: FileReading): string {
  const shown = lines.map(({ text }) => text).join('\n');
  if (/^\s*schedule:/m.test(shown) && !/\b(?:pull_request|push|merge_request\w*)\b/.test(shown)) return '';
  const added = lines.filter(({ changed, comment }) => changed && comment === '').map(({ text }) => text);
  const isOptional = added.some((text) => optional.test(text));
  return isOptional ? '' : added.join('\n');
}

const optional = anyOf([
  String.raw`^\s*(?:-\s*)?(?:if:|continue-on-error:\s*true|allow_failure:\s*true|when:\s*manual)`,
  String.raw`\|\|\s*(?:true|:|exit 0)`,
]);

function isGiven(text: string, option: RegExp, names: readonly string[]): boolean {
  const lines = text.split('\n').filter((line) => option.test(line));
  return names.length > 0 && names.every((name) => lines.some((line) => wordsIn(line).includes(name)));
}

function wordsIn(line: string): readonly string[] {
  return line.match(/[\w-]+/g) ?? [];
}

function isSet(line: string, variable: string): boolean {
  const [, value = ''] = line.split(new RegExp(`\\b${variable}\\s*[:=]\\s*`));
  return /^["']?(?:1|true|yes|on)\b/i.test(value);
}
