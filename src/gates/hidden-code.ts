import { anyOf } from '../text/pattern/any-of.ts';
import { joined, type Line, maxLength, runsInput, substitutes } from './downloads.ts';

/** What turns letters that say nothing into a program. */
const decoder = anyOf([
  String.raw`\b(?:g?base64|base32|basenc)\b[^|]{0,80}\s-(?:-decode|\w*[dD])\b`,
  String.raw`\bopenssl\s+(?:enc|base64|\w+)\b[^|]{0,200}\s-d\b|\bgpg2?\b[^|]{0,100}\s(?:-d|--decrypt)\b`,
  String.raw`\bxxd\b[^|]{0,40}\s-\w*r|\buudecode\b|\bage\s+(?:-d|--decrypt)\b`,
  String.raw`\b(?:gunzip|zcat|bzcat|xzcat|zstdcat|unxz|bunzip2)\b|\b(?:gzip|bzip2|xz|zstd)\b[^|]{0,40}\s-\w*d`,
  String.raw`(?:^|[\s(;&])rev\b|\btr\s+["']?[a-zA-Z]-|\bprintf\b[^|]{0,80}\\(?:x[0-9a-fA-F]{2}|0?[0-7]{3})`,
]);

/** The same in the idioms of other languages. */
const evaluating = anyOf(
  [
    String.raw`\b(?:exec|eval|compile|Function|runInThisContext|instance_eval|class_eval)\s*\(?.{0,60}\b(?:b64decode|a85decode|b85decode|unhexlify|fromhex|atob|base64_decode|decode64|decode_base64|gzinflate|str_rot13|zlib\.decompress|marshal\.loads)\b`,
    String.raw`\b(?:exec|eval|Function|runInThisContext)\s*\(\s*(?:new\s+)?Buffer\.from\([^)]{0,200},\s*["'](?:base64|hex)`,
    String.raw`\b(?:powershell|pwsh)\b.{0,80}\s-(?:e|en|enc|enco\w*)\s+[A-Za-z0-9+/=$]`,
    String.raw`\b(?:iex|Invoke-Expression)\b.{0,80}\bFromBase64String\b`,
  ],
  'i',
);

/** Lines that run what nobody can read as it is written there; the number is that of the first. */
export function executedHidden(lines: readonly Line[]): readonly Line[] {
  return joined(lines).filter(({ text }) => runsHidden(text.slice(0, maxLength)));
}

function runsHidden(text: string): boolean {
  if (evaluating.test(text)) return true;
  if (!decoder.test(text)) return false;
  const parts = text.split('|').slice(0, maxParts);
  const first = parts.findIndex((part) => decoder.test(part));
  const isPiped = parts.some(
    (part, index) => index > first && parts[index - 1] !== '' && readsProgram(part.slice(0, 400)),
  );
  return (first >= 0 && isPiped) || substitutes(text, decoder);
}

const maxParts = 200;

/** `sh -s`, `python3 -`; but `perl -ne …` and `node filter.js` have a program, and read what it works on. */
function readsProgram(part: string): boolean {
  const [command] = runsInput.exec(part) ?? [];
  if (command === undefined) return false;
  const rest = part.slice(command.length);
  const end = /(?:sh|busybox|iex)$/i.test(command)
    ? /^(?:\s+-\S*)*\s*(?:$|[;&)"'`>#])/
    : /^\s*-?\s*(?:$|[;&)"'`>#])/;
  return end.test(rest);
}
