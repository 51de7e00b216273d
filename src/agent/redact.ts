/** Replaces each secret. */
const redacted = '[REDACTED]';

/** Shorter values would also match ordinary words. */
const shortestValue = 6;

/**
 * The formats of known tokens, by issuer. Quantifiers are bounded so that matching stays linear on any input.
 */
const shapes: readonly RegExp[] = [
  // GitHub: personal, OAuth, user-to-server, server-to-server (which may carry dots), refresh, fine-grained.
  /(?<![A-Za-z0-9])gh[pousr]_(?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-])){16,}/g,
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}/g,
  // AWS access key ids.
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  // Private keys in PEM, also when the end is missing or newlines are escaped.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,6}-----|$)/g,
  // Slack.
  /(?<![A-Za-z0-9])(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}/g,
  /hooks\.slack\.com\/services\/[A-Za-z0-9/_-]{10,}/g,
  // OpenAI, Anthropic and similar; a digit distinguishes a key from a CSS class.
  /(?<![A-Za-z0-9])sk-(?=[A-Za-z0-9_-]{0,200}\d)[A-Za-z0-9_-]{20,}/g,
  // Stripe, Google, GitLab, npm, PyPI, Hugging Face.
  /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g,
  /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}/g,
  /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/g,
  /(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{50,}/g,
  /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g,
  // JSON Web Tokens.
  /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,400}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,}/g,
];

/** Secrets recognised by the text before them, which is kept. */
const labelled: readonly RegExp[] = [
  /((?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/)[^\s/:@'"]{0,200}:[^\s/@'"]{1,500}(?=@)/g,
  /((?<![A-Za-z0-9+.-])https?:\/\/)[^\s/:@'"]{20,500}(?=@)/gi,
  /(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})[A-Za-z0-9._~+/=-]{6,}/gi,
  /(aws_secret_access_key["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9/+=]{40}/gi,
];

/**
 * Removes the known values and everything in the format of a token. Idempotent.
 */
export function redact(text: string, known: readonly string[] = []): string {
  const valuesGone = spellings(known).reduce((rest, value) => rest.replaceAll(value, redacted), text);
  const shapesGone = shapes.reduce((rest, shape) => rest.replace(shape, redacted), valuesGone);
  return labelled.reduce((rest, shape) => rest.replace(shape, `$1${redacted}`), shapesGone);
}

/** The same for every string inside plain data. */
export function redactAll<T>(value: T, known: readonly string[] = []): T {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return redact(part, known);
    if (Array.isArray(part)) return part.map(clean);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, clean(inner)]));
  };
  // Strings are replaced by strings, so the type stays the same.
  return clean(value) as T;
}

/** A secret may appear verbatim, URL-encoded, in JSON, in Base64, or line by line. Longest first. */
function spellings(known: readonly string[]): string[] {
  const all = known.flatMap((value) => [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString('base64'),
    Buffer.from(`x-access-token:${value}`).toString('base64'),
    ...value.split('\n').filter((line) => line.trim().length >= 16),
  ]);
  const distinct = [...new Set(all.map((value) => value.trim()))];
  return distinct
    .filter((value) => value.length >= shortestValue)
    .sort((one, other) => other.length - one.length);
}

/** The values of variables whose names suggest a secret; a model's name or an address is not one. */
export function secretsIn(variables: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    /key|token|secret|password|credential/i.test(name) ? [value] : [],
  );
}
