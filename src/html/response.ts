import { createHash } from 'node:crypto';

/** What a browser is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** It forbids whatever is from other sites or inline, and framing. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** They go with each answer to a browser, whatever it is. */
export const securityHeaders = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers would send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** These go with what belongs to one person: the browser asks again whether it has changed. */
export function revalidated(etag: string, vary: string) {
  return { ...securityHeaders, etag, 'cache-control': 'private, no-cache', vary };
}

/** The browser already shows what has these headers. */
export function unchanged(headers: Record<string, string>): Answer {
  return { status: 304, headers, body: '' };
}

/** Makes the browser continue with a GET, after a form or a key. */
export function seeOther(location: string, more: Readonly<Record<string, string>> = {}): Answer {
  const headers = { ...securityHeaders, ...more, location, 'cache-control': 'no-store' };
  return { status: 303, headers, body: '' };
}

/** What pages load besides themselves. */
export interface Asset {
  readonly type: string;
  readonly text: string;
}

/** An asset's path contains a hash of its content, so browsers may keep it forever. */
export function assetAnswer({ type, text }: Asset): Answer {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' };
  return { status: 200, headers: { ...securityHeaders, ...headers }, body: text };
}

/** Serves the style sheet, script and icon of a site below a folder of its own. */
export function assetsBelow(
  folder: string,
  texts: { readonly styles: readonly string[]; readonly script: string; readonly icon: string },
) {
  const style: Asset = { type: 'text/css; charset=utf-8', text: texts.styles.join('\n') };
  const script: Asset = { type: 'text/javascript; charset=utf-8', text: texts.script };
  const icon: Asset = { type: 'image/svg+xml', text: texts.icon };
  /** Named after their content, so that browsers can cache them and never mix two versions. */
  const assetPaths = {
    style: `${folder}/${hashOf(style.text)}.css`,
    script: `${folder}/${hashOf(script.text)}.js`,
    icon: `${folder}/${hashOf(icon.text)}.svg`,
  } as const;
  const assets: ReadonlyMap<string, Asset> = new Map([
    [assetPaths.style, style],
    [assetPaths.script, script],
    [assetPaths.icon, icon],
  ]);
  return { assetPaths, assets };
}

/** Names a text shortly, for its address or its ETag. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 24);
}
