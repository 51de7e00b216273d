import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import jsTokens from 'js-tokens';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where texts are made that people read of a run. */
const folders = ['src/words', 'src/page', 'src/github', 'src/steering'];

/** So many words in a row are a sentence, or the better part of one. */
const length = 8;

/** What stands in the strings and templates of a file, in lower case, with a mark where something is put in. */
function textsOf(path: string): readonly string[] {
  const texts: string[] = [];
  let sum = '';
  const end = () => {
    texts.push(sum);
    sum = '';
  };
  for (const { type, value } of jsTokens(readFileSync(join(root, path), 'utf8'))) {
    if (type === 'StringLiteral') sum += `${value.slice(1, -1)} `;
    else if (type === 'NoSubstitutionTemplate') sum += `${value.slice(1, -1)} `;
    else if (type === 'TemplateHead' || type === 'TemplateMiddle' || type === 'TemplateTail')
      sum += `${value.replace(/^[`}]|(?:\$\{|`)$/g, '')} … `;
    // Only strings that are added to each other are one text.
    else if (type === 'Punctuator' && value !== '+') end();
  }
  end();
  return texts;
}

/** Markup, and queries to GitHub, are read by nobody. */
function isSaid(text: string): boolean {
  return !/<\w+[ >]|^(?:GET|POST|query|mutation)\b/.test(text);
}

test('no sentence stands in two places', () => {
  const seen = new Map<string, string>();
  const twice: string[] = [];
  for (const folder of folders)
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const path = relative(root, join(entry.parentPath, entry.name));
      for (const text of textsOf(path).filter(isSaid)) {
        const words = text.toLowerCase().match(/[a-z'’]+|…/g) ?? [];
        let last = -length;
        for (let at = 0; at + length <= words.length; at += 1) {
          const part = words.slice(at, at + length).join(' ');
          if (part.split('…').length > 2) continue;
          const before = seen.get(part);
          if (before === undefined) seen.set(part, path);
          else if (at >= last + length) {
            twice.push(`${before}, ${path}: ${part}`);
            last = at;
          }
        }
      }
    }
  expect(twice).toEqual([]);
});
