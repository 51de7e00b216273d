import { authorization, type TokenRegistry } from './registry.ts';
import type { Replacement } from './replacing.ts';

/**
 * What hides a token in a response: an upstream may repeat what it was sent. Every form of it that a server
 * might write, by as many asterisks, so that lengths stay right. Short words would be found by chance.
 */
export function tokenMask(registry: TokenRegistry): readonly Replacement[] {
  return [...formsOf(registry)].map((text) => ({
    find: Buffer.from(text),
    put: Buffer.alloc(text.length, '*'),
  }));
}

/** Whether a header shows the token. */
export function showsToken(registry: TokenRegistry, value: string): boolean {
  return [...formsOf(registry)].some((form) => value.includes(form));
}

function formsOf(registry: TokenRegistry): ReadonlySet<string> {
  const { secret } = registry;
  const [, credentials = ''] = authorization(registry).split(' ');
  const plain = [secret, secret.slice(secret.indexOf(':') + 1), credentials].filter(
    (each) => each.length >= 6,
  );
  const written = plain.flatMap((each) => [
    each,
    encodeURIComponent(each),
    JSON.stringify(each).slice(1, -1),
    Buffer.from(each).toString('base64'),
  ]);
  return new Set(written);
}
