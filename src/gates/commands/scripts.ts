import { executedDownload } from '../downloads.ts';
import { downloaded } from '../shell/marks.ts';
import { literals, type Script } from '../wrappers/scripts.ts';
import type { Rule } from './rule.ts';
import { destroysData } from './sql.ts';

/** The functions that delete or empty files, in Python, JavaScript, Ruby and Perl. */
const deletions = [
  'rmtree',
  'os\\.(?:remove|unlink|rmdir|removedirs|truncate)',
  'send2trash',
  '(?:rm|rmdir|unlink|truncate)Sync\\b',
  'fs(?:\\.promises|p)?\\.(?:rm|rmdir|unlink|truncate)',
  'promises\\.(?:rm|rmdir|unlink)',
  'rimraf',
  'Deno\\.remove\\w*',
  'FileUtils\\.(?:rm|remove)\\w*',
  '(?:File|Dir)\\.(?:delete|unlink|rmdir)',
  'remove_entry\\w*',
  'remove_tree',
];

/** In a script of Node.js that uses `fs`, whatever it calls that module. */
const taken = /\b(?:rm|rmdir|unlink|truncate)\s*\(/;
const usesFs = /['"](?:node:)?fs(?:\/promises)?['"]/;

/** Calls of other languages that hit a rule; what stands in quotes is not a call. */
const idioms: readonly { readonly rule: Rule; readonly calls: RegExp }[] = [
  {
    rule: 'deletes-files',
    calls: new RegExp(`\\b(?:${deletions.join('|')})\\s*[({ ]|\\)\\.(?:unlink|rmdir)\\(`),
  },
  {
    rule: 'deletes-files',
    calls: /(?:^|[\s;{(!&|])(?:Remove-Item|Clear-Content|ri|rd|rm|del|erase|rmdir)(?=[\s;)}]|$)/i,
  },
  {
    rule: 'loosens-permissions',
    calls: /\bchmod(?:Sync)?\s*[( ][^)]{0,200}?\b0?o?(?:[0-7]{0,2}[0-7]{2}[2367]|[2-7][0-7]{3})\b/,
  },
];

/** Of these, `unlink` and others are words of the language. */
const ownWords: Readonly<Record<string, RegExp>> = {
  perl: /(?<![/$@%])\b(?:unlink|rmdir)\b\s*(?:[^\s,=)]|$)/,
  php: /\b(?:unlink|rmdir)\s*\(/,
  python: /\.(?:unlink|rmdir)\s*\(/,
  r: /\b(?:unlink|file\.remove)\s*\(/,
  rscript: /\b(?:unlink|file\.remove)\s*\(/,
  ruby: /\brm_(?:rf|r|f)\b/,
};

/** PowerShell's words are commands only there. */
const powershell = new Set(['pwsh', 'powershell']);

export function rulesOfScript({ language, text }: Script): readonly Rule[] {
  const calls = text.replace(/'[^'\n]*'|"[^"\n]*"/g, "''");
  const found = idioms
    .filter(({ calls: pattern }, index) => (index !== 1 || powershell.has(language)) && pattern.test(calls))
    .map(({ rule }) => rule);
  if (usesFs.test(text) && taken.test(calls)) found.push('deletes-files');
  if (ownWords[language]?.test(calls)) found.push('deletes-files');
  if (runsDownload(text)) found.push('runs-remote-code');
  if (/\b(?:execute\w*|query|raw|exec)\s*\(/i.test(calls) && literals(text).some(destroysData))
    found.push('drops-data');
  return found;
}

function runsDownload(text: string): boolean {
  return text.includes(downloaded) || executedDownload([{ number: 1, text }]).length > 0;
}
