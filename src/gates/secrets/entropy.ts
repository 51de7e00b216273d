import { anyOf } from '../../text/pattern/any-of.ts';
import { isPlaceholder } from './placeholder.ts';

/** Bits for each character of a text, as if its own frequencies were all there is to know. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const secretName =
  '(?:[\\w.-]{0,40}?(?:secret|token|passw(?:or)?d|passphrase|pwd|api[-_]?key|apikey|auth[-_]?key|access[-_]?key|private[-_]?key|encryption[-_]?key|signing[-_]?key|master[-_]?key|session[-_]?key|client[-_]?key|credential|connection[-_]?string|webhook[-_]?key|salt|pepper)[\\w]{0,20})';

const assignment = new RegExp(
  `(?<![\\w.-])["'\`]?(${secretName})["'\`]?\\]?\\s{0,8}(?::=|=>|[:=](?!=)|,(?=\\s*["']))\\s{0,8}(?:[\\w.]{1,30}\\()?(["'\`]?)([^\\s"'\`,;)}\\]]{8,300})`,
  'gi',
);

/** What one of these names has in it. */
const namesSecret = /secret|token|pass|pwd|key|credential|connection|salt|pepper/i;

/** Names that speak about a secret without being one. */
const notSecret = anyOf(
  [
    String.raw`(?:id|ids|name|names|field|label|url|uri|path|file|filename|dir|header|type|length|size|regex|pattern|expir\w*|ttl|count|limit|limits|prefix|suffix|column|digest|checksum|env|var|kind|format|policy|hint|placeholder|title|text|message|error|input|param|provider|manager|service|class|store|ref|arn|version|usage|used|required|min|max|timeout|endpoint|scope|scopes|public)$`,
    String.raw`^(?:public|max|min|num|csrf|xsrf|next|prev|page|continuation|cancel\w*)[-_]?|tokeniz`,
    '_?hash(?:ed)?$|^(?:total|prompt|input|output|completion)[-_]?tokens?',
  ],
  'i',
);

/** A value that a setting named like a secret is given, and that looks like chance. */
export function assignedSecrets(
  line: string,
  { isQuoted }: { readonly isQuoted: boolean },
): readonly string[] {
  if (!namesSecret.test(line)) return [];
  return [...line.matchAll(assignment)].flatMap(([, name = '', quote = '', value = '']) => {
    if ((isQuoted && quote === '') || notSecret.test(name) || isPlaceholder(value)) return [];
    return looksRandom(value, /passw|pwd|passphrase/i.test(name)) ? [value] : [];
  });
}

/** A password is shorter than a token, and has more kinds of characters. */
function looksRandom(value: string, isPassword: boolean): boolean {
  if (isCode(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/].filter((kind) => kind.test(value)).length;
  if (isPassword) return value.length <= 64 && kinds >= 3 && entropyOf(value) >= 2.9;
  if (value.length < 16 || !/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  if (/^[\da-f]+$/i.test(value)) return value.length >= 32 && entropyOf(value) >= 3;
  return entropyOf(value) >= 3.5 && !isWords(value);
}

/** A call, a path, an address or an expression. */
function isCode(value: string): boolean {
  return anyOf(
    [
      String.raw`[({[]$|\(|\)|^https?:|^[./~]|^[a-z]+://|=>|\|\||&&|^[\w$]+(?:\??\.[\w$]+)+$`,
      String.raw`^[\w-]+/[\w./-]+\.[a-z]{2,5}$`,
    ],
    'i',
  ).test(value);
}

/** Words that were joined, with perhaps a number, as in `my-service-v2-token`. */
function isWords(value: string): boolean {
  const parts = value.split(/[-_.:/]|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '');
  const words = parts.filter((part) => /^[A-Za-z]?[a-z]{2,}$|^[A-Z]{2,}$|^v?\d{1,4}$/.test(part));
  return words.length >= parts.length - 1 && parts.length > 1;
}

const longQuoted = /["'`][A-Za-z0-9+/=_-]{32}/;
const quoted = /(["'`])([A-Za-z0-9+/=_-]{32,200})\1/g;

/** Lines whose long values are known not to be secret. */
const harmless = new RegExp(
  [
    String.raw`integrity|sha\d|sha-|hash|digest|checksum|fingerprint|md5|crc|nonce|data:|base64`,
    String.raw`public|\bpub\b|cert|ssh-(?:rsa|ed25519|dss)|etag|commit|revision|snapshot`,
    'signature|uuid|guid|regex|alphabet|charset|chars|https?://|import|require',
    String.raw`from\s|class(?:Name)?=|\bid\b|xmlns|vector`,
  ].join('|'),
  'i',
);

/** Quoted values without a telling name, if they look like chance more than anything else does. */
export function bareSecrets(line: string): readonly string[] {
  if (!longQuoted.test(line) || harmless.test(line)) return [];
  return [...line.matchAll(quoted)].flatMap(([, , value = '']) => {
    const digits = value.replace(/\D/g, '').length;
    const isMixed = digits >= 3 && /[A-Z].*[A-Z]/.test(value) && /[a-z].*[a-z]/.test(value);
    if (!isMixed || isPlaceholder(value) || isWords(value)) return [];
    return entropyOf(value) >= 4.4 ? [value] : [];
  });
}
