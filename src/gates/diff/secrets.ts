import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import { anyOf } from '../../text/regexp.ts';
import { isExample, isGenerated, isSource } from '../reading/file-kinds.ts';
import { type Hunk, newSide, type Patch, type PatchLine } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';

/** Finds secrets in added lines, told by what they are; their values are not repeated. */
export function secretHits(patch: Patch): readonly GateHit[] {
  const { path, status } = patch.change;
  if (status === 'deleted') return [];
  const keys = patch.hunks.flatMap(privateKeys).map((line) => at(path, line, 'a private key'));
  const isKnown = new Set(keys.map(({ line }) => line));
  const guess = guessing(patch);
  const others = patch.added
    .filter(({ number }) => !isKnown.has(number))
    .flatMap((line) => secretsIn(line.text.slice(0, maxLine), guess).map((what) => at(path, line, what)));
  return [...keys, ...others];
}

/** Longer lines are made by programs; what is in front is read all the same. */
const maxLine = 20_000;

function at(path: string, { number }: PatchLine, what: string): GateHit {
  return hitAt('touches-secrets', { path, line: number }, `${what} is added`);
}

/** How a file's values may be guessed at by their looks. */
interface Guess {
  readonly named: 'quoted' | 'any' | 'none';
  readonly bare: boolean;
}

/** So many values that look like chance are data. */
const maxBare = 5;

function guessing({ added, change: { binary, path } }: Patch): Guess {
  if (binary || isGenerated(path) || isExample(path)) return { named: 'none', bare: false };
  const named = isSource(path) ? 'quoted' : 'any';
  let left = maxBare;
  for (const { text } of added) {
    if (left >= 0 && text.length <= maxGuessed && bareSecrets(text).length > 0) left -= 1;
  }
  return { named, bare: left >= 0 };
}

/** In longer lines, data is more likely than a secret that somebody wrote. */
const maxGuessed = 1_000;

function secretsIn(text: string, { named, bare }: Guess): readonly string[] {
  const known = shapeIn(text);
  if (known !== undefined) return [known];
  if (text.length > maxGuessed || named === 'none') return [];
  if (assignedSecrets(text, { isQuoted: named === 'quoted' }).length > 0) {
    return ['what looks like a password, key or token'];
  }
  return bare && bareSecrets(text).length > 0 ? ['a value that looks like a secret'] : [];
}

const keyStart = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-\d:/;
const keyBody = /^[\s"'`+|\\n]*[A-Za-z0-9+/=]{40,}/;

/** Finds a private key with something in it: a program may name the line that one begins with. */
function privateKeys(hunk: Hunk): readonly PatchLine[] {
  const lines = newSide(hunk);
  return lines.filter(({ sign, text }, index) => {
    const start = sign === '+' ? keyStart.exec(text) : null;
    if (start === null) return false;
    const rest = text.slice(start.index + start[0].length, start.index + maxLine).replaceAll('\\n', '');
    return (
      keyBody.test(rest) ||
      lines.slice(index + 1, index + 7).some((next) => keyBody.test(next.text.slice(0, maxLine)))
    );
  });
}

/** A form that only a secret has. */
interface Shape {
  /** People are told this. */
  readonly name: string;
  /** Bounded, so that matching stays linear; if there is a group, the secret is in it. */
  readonly pattern: RegExp;
}

const beforeToken = '(?<![A-Za-z0-9_])';
const afterToken = '(?![A-Za-z0-9_])';

function token(name: string, body: string): Shape {
  return { name, pattern: new RegExp(`${beforeToken}(?:${body})${afterToken}`, 'g') };
}

/** The value of a setting of this name. */
function setting(name: string, key: string, body: string): Shape {
  return {
    name,
    pattern: new RegExp(`(?:${key})["']?\\s{0,4}(?:[:=]|=>|,)\\s{0,4}["']?(${body})${afterToken}`, 'gi'),
  };
}

const hex = (length: number) => `[a-f0-9]{${length}}`;

/** The tokens and keys of the services that we know, by issuer. */
const shapes: readonly Shape[] = [
  // Code hosts and registries.
  token('a GitHub token', 'gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255}'),
  token(
    'a GitLab token',
    'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas)-[A-Za-z0-9_=.-]{20,320}|GR1348941[A-Za-z0-9_-]{20}',
  ),
  token('a Bitbucket token', 'ATBB[A-Za-z0-9]{28,60}|ATCTT3xFfG[A-Za-z0-9+/=_-]{60,300}'),
  token('an npm token', 'npm_[A-Za-z0-9]{36}'),
  setting('an npm token', ':_authToken|npmAuthToken', '[A-Za-z0-9_-]{20,200}'),
  token('a PyPI token', 'pypi-[A-Za-z0-9_-]{50,300}'),
  token('a RubyGems key', `rubygems_${hex(48)}`),
  token('a crates.io token', 'cio[A-Za-z0-9]{32}'),
  token('a NuGet key', 'oy2[a-z0-9]{43}'),
  token('a Docker token', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,60}'),
  // Clouds.
  token('an AWS access key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}'),
  setting('an AWS secret key', 'aws_?secret_?(?:access_?)?key|secretAccessKey', '[A-Za-z0-9/+=]{40}'),
  token('a Google API key', 'AIza[A-Za-z0-9_-]{35}'),
  token('a Google OAuth secret', 'GOCSPX-[A-Za-z0-9_-]{28}|ya29\\.[A-Za-z0-9_-]{30,300}'),
  token('an Azure client secret', '[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}'),
  setting('an Azure storage key', 'AccountKey|SharedAccessKey', '[A-Za-z0-9+/]{42,86}={0,2}'),
  token('a DigitalOcean token', `(?:dop|doo|dor)_v1_${hex(64)}`),
  token('a Fly.io token', 'FlyV1 [A-Za-z0-9_+/=,-]{40,2000}|fo1_[A-Za-z0-9_-]{43}'),
  token('a Heroku key', 'HRKU-[A-Za-z0-9_-]{30,70}'),
  setting('a Heroku key', 'heroku_api_key', `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`),
  token('a Terraform token', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,80}'),
  token('a Vault token', 'hv[sbr]\\.[A-Za-z0-9_-]{24,300}'),
  token('an Alibaba key', 'LTAI[A-Za-z0-9]{16,24}'),
  token('a Vercel or Supabase token', `sb[ps]_${hex(40)}|sb_secret_[A-Za-z0-9_-]{20,60}`),
  token('a Pulumi token', `pul-${hex(40)}`),
  token('a Databricks token', `dapi${hex(32)}(?:-\\d)?`),
  token('a PlanetScale token', 'pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.-]{32,64}'),
  token('a Doppler token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,60}'),
  // Models.
  token('an Anthropic key', 'sk-ant-[A-Za-z0-9]{3,10}-[A-Za-z0-9_-]{40,200}'),
  token('an OpenAI key', 'sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,200}|sk-[A-Za-z0-9]{48}'),
  token('a Hugging Face token', 'hf_[A-Za-z0-9]{34}'),
  token(
    'a model key',
    'gsk_[A-Za-z0-9]{52}|xai-[A-Za-z0-9]{80}|r8_[A-Za-z0-9]{37}|pplx-[A-Za-z0-9]{48}|sk-or-v1-[a-f0-9]{64}',
  ),
  // Payments.
  token('a Stripe key', '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/=]{32,64}'),
  token('a Square token', 'sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60}'),
  token('a Shopify token', `shp(?:at|ca|pa|ss)_${hex(32)}`),
  token('a PayPal token', 'access_token\\$production\\$[a-z0-9]{16}\\$[a-f0-9]{32}'),
  // Messages.
  token('a Slack token', 'xox[abeoprs]-[A-Za-z0-9-]{20,250}|xapp-\\d-[A-Za-z0-9-]{20,250}'),
  token('a Slack webhook', 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{30,120}'),
  token('a Discord webhook', 'discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[A-Za-z0-9_-]{60,80}'),
  token('a Discord token', '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}'),
  token('a Teams webhook', '[\\w-]{1,60}\\.webhook\\.office\\.com/webhookb2/[A-Za-z0-9@/_-]{60,250}'),
  token('a Telegram token', '\\d{8,10}:AA[A-Za-z0-9_-]{33}'),
  token('a Twilio key', `SK${hex(32)}`),
  token('a SendGrid key', 'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}'),
  token('a Mailgun key', `key-${hex(32)}`),
  token('a Mailchimp key', `${hex(32)}-us\\d{1,2}`),
  token('a Brevo key', `xkeysib-${hex(64)}-[A-Za-z0-9]{16}`),
  token('a Postmark or Resend key', 're_[A-Za-z0-9]{8}_[A-Za-z0-9]{22,26}'),
  // Tools.
  token('an Atlassian token', 'ATATT3[A-Za-z0-9_=-]{60,250}'),
  token('a Linear key', 'lin_(?:api|oauth)_[A-Za-z0-9]{40,64}'),
  token('a Notion token', 'ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43}'),
  token('a Figma token', 'fig[doru]_[A-Za-z0-9_-]{40,60}'),
  token('an Airtable token', `pat[A-Za-z0-9]{14}\\.${hex(64)}`),
  token('a Grafana token', 'gl(?:sa|c)_[A-Za-z0-9+/=_]{32,400}'),
  token('a New Relic key', 'NRAK-[A-Z0-9]{27}|NRJS-[a-f0-9]{19}'),
  token('a Sentry token', 'sntry[su]_[A-Za-z0-9+/=_-]{40,400}'),
  token('a Datadog key', 'dd(?:api|app)_[A-Za-z0-9]{32,40}'),
  token('a Postman key', `PMAK-${hex(24)}-${hex(34)}`),
  token('a LaunchDarkly key', `(?:sdk|api)-${hex(8)}-${hex(4)}-4${hex(3)}-${hex(4)}-${hex(12)}`),
  token('a SonarQube token', `sq[apu]_${hex(40)}`),
  token('an Artifactory key', 'AKCp[A-Za-z0-9]{65,75}|cmVmd[A-Za-z0-9+/=]{59,75}'),
  token('an age key', 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
  token('a 1Password token', 'ops_eyJ[A-Za-z0-9+/=]{200,3000}'),
  // Forms that many issuers use.
  token('a JSON Web Token', 'eyJ[A-Za-z0-9_-]{10,400}\\.eyJ[A-Za-z0-9_-]{10,4000}\\.[A-Za-z0-9_-]{20,1000}'),
  {
    name: 'an address with a password',
    pattern:
      /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s/:@'"`<>]{0,100}:([^\s/@'"`<>]{8,200})@[\w.[-]/g,
  },
  {
    name: 'a header with a login',
    pattern:
      /\bauthorization["']?\s{0,4}[:=,]\s{0,4}["']?(?:basic|bearer|token)\s{1,4}([A-Za-z0-9._~+/=-]{16,2000})/gi,
  },
];

/** All at once, which is much faster where there is nothing to find. */
const together = ['', 'i'].map((flags) => {
  const some = shapes.filter(({ pattern }) => pattern.ignoreCase === (flags === 'i'));
  return new RegExp(some.map(({ pattern }) => `(?:${pattern.source})`).join('|'), flags);
});

/** Names the known secret that is in a line, unless it is one that nobody uses. */
function shapeIn(line: string): string | undefined {
  if (!together.some((pattern) => pattern.test(line))) return undefined;
  const known = shapes.find(({ pattern }) => {
    return [...line.matchAll(pattern)].some(([whole, value = whole]) => !isPlaceholder(bodyOf(value)));
  });
  return known?.name;
}

/** The issuer's prefix is left out, because it may say `test`. */
function bodyOf(value: string): string {
  return value.replace(/^[A-Za-z]{2,8}[-_](?:live_|test_|proj-|ant-)?/, '');
}

/** Bits for each character of a text, as if its own frequencies were all there is to know. */
function entropyOf(text: string): number {
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

/** Each of these names has one of these words in it. */
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

/** Finds a value that a setting named like a secret is given, and that looks like chance. */
function assignedSecrets(line: string, { isQuoted }: { readonly isQuoted: boolean }): readonly string[] {
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
function bareSecrets(line: string): readonly string[] {
  if (!longQuoted.test(line) || harmless.test(line)) return [];
  return [...line.matchAll(quoted)].flatMap(([, , value = '']) => {
    const digits = value.replace(/\D/g, '').length;
    const isMixed = digits >= 3 && /[A-Z].*[A-Z]/.test(value) && /[a-z].*[a-z]/.test(value);
    if (!isMixed || isPlaceholder(value) || isWords(value)) return [];
    return entropyOf(value) >= 4.4 ? [value] : [];
  });
}

/** Whether nobody takes a value for a secret: an example, a reference, or typed without thought. */
function isPlaceholder(value: string): boolean {
  return (
    reference.test(value) ||
    fakeWord.test(value) ||
    runs.test(value) ||
    sequences.some((sequence) => value.toLowerCase().includes(sequence)) ||
    new Set(value).size < Math.min(6, value.length / 2)
  );
}

/** It stands for what comes from somewhere else. */
const reference = anyOf([
  String.raw`^[<{[%$]|\$\{|\$\(|\{\{|<[\w -]+>|%[A-Z_]+%|^\$?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`,
  String.raw`\bprocess\.env\b|\bos\.environ\b|\bsecrets\.|\bvault:|\bENC\[|^!|^arn:|\*{3}|\.{3}|…`,
]);

const fakeWord = anyOf(
  [
    'example|sample|dummy|placeholder|change[-_]?(?:me|it)|replace|redacted|your[-_a-z]',
    '[-_]?fake|not[-_]?(?:a[-_])?(?:real|secret)|mock|insert|todo|fixme|foobar|lorem|xxxx',
    'secret[-_]?key[-_]?here|for[-_]?test|^test',
    'test(?:ing)?[-_]?(?:token|key|secret|password|only|value)',
    '(?:token|key|secret|password)[-_]?test',
    '^(?:my|some|the|a|super)[-_]?(?:secret|password|token|key)|^p[a4@][s5$]{2}w[o0]rd',
    String.raw`^(?:admin|root|postgres|mysql|user|guest|secret|passw|letmein|default|redis|rabbitmq|mongo|minio|hunter2|dev|local|pass|pwd|none|null|undefined|true|false)\w{0,8}$`,
  ],
  'i',
);

/** A character comes five times in a row, or a few characters four times. */
const runs = /(.)\1{4,}|(.{2,4})\2{3,}/;

const sequences = [
  '12345678',
  '01234567',
  'abcdefgh',
  '0123456789',
  'deadbeef',
  'cafebabe',
  'qwertyui',
  '87654321',
];
