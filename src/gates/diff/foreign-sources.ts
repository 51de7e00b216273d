import type { GateHit } from '../../steering/attempt-result.ts';
import { anyOf } from '../../text/pattern/any-of.ts';
import { matching } from '../path-rules/path-rule.ts';
import { hitAt } from '../rules.ts';
import { isExample, isPackageJson } from './kinds.ts';
import type { Patch } from './patch.ts';

/** Files that say where tools and packages come from, and lines that name another place than everybody's. */
const sources: readonly { readonly is: (path: string) => boolean; readonly foreign: RegExp }[] = [
  {
    is: matching(['**/requirements*.{txt,in}', '**/requirements/**', '**/{pip.conf,pip.ini}']),
    foreign: anyOf([
      String.raw`^\s*(?:--)?(?:extra-)?index-url[\s=]+(?!https://(?:pypi\.org|download\.pytorch\.org)/)\S`,
      String.raw`^\s*(?:-i|-f|(?:--)?find-links|(?:--)?trusted-host)[\s=]+\S`,
      String.raw`^[\w.\[\],-]+\s*@\s*https?://(?!(?:github\.com|files\.pythonhosted\.org|download\.pytorch\.org)/)`,
    ]),
  },
  {
    is: matching(['**/{gradle,maven}-wrapper.properties']),
    foreign: anyOf([
      String.raw`^\s*(?:distribution|wrapper)Url\s*[=:]\s*(?!https\\?://(?:services\.gradle\.org|repo\.maven\.apache\.org|repo1\.maven\.org)/)\S`,
    ]),
  },
  {
    is: isPackageJson,
    foreign: anyOf([String.raw`^\s*"(?:@[\w.-]+/)?[\w.-]+"\s*:\s*"https?://[^"]{1,500}\.t(?:ar\.)?gz["?#]`]),
  },
  {
    is: matching(['**/.cargo/config{,.toml}']),
    foreign: anyOf([
      String.raw`^\s*(?:replace-with|registry|rustc-wrapper|rustc-workspace-wrapper|runner|linker)\s*=`,
    ]),
  },
];

const maxHits = 5;
const maxLine = 1_000;

/** Added lines that have tools or packages come from somewhere else, whose owner's code then runs. */
export function foreignSourceHits({ change: { path }, added }: Patch): readonly GateHit[] {
  const file = sources.find(({ is }) => is(path));
  if (file === undefined || (isExample(path) && !/requirements|wrapper/i.test(path))) return [];
  return added
    .filter(({ text }) => file.foreign.test(text.slice(0, maxLine)))
    .slice(0, maxHits)
    .map(({ number, text }) => hitAt('runs-remote-code', { path, line: number }, text));
}
