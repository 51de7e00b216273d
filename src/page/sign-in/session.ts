import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { cookiesNamed } from '../../http/incoming-request.ts';
import type { SecretBox } from '../../seal/secret-box.ts';
import { SignInFault } from './sign-in-fault.ts';

/** Who is signed in, and with which token; it is kept nowhere but in the person's own browser. */
export type Session = z.infer<typeof sessionShape>;

const sessionShape = z.strictObject({
  /** GitHub's number of the person, which no other account ever gets. */
  id: z.int().positive(),
  login: z.string(),
  /** GitHub's user token of this App. */
  token: z.string(),
  /** When it began and when it ends, in milliseconds since 1970. */
  began: z.int(),
  ends: z.int(),
});

/** A session lasts as long as GitHub's token does by default, in milliseconds. */
export const sessionMs = 8 * 60 * 60 * 1000;

/** In seconds. Whoever comes back within that time is signed in again without being asked. */
const cookieMaxAge = 30 * 24 * 60 * 60;

/** Browsers drop a cookie that has more bytes, and say nothing. */
const maxCookie = 4096;

const purpose = 'session';

/** What a browser presents: `over` when there was a session, whoever it belonged to. */
type Presented = Session | 'over' | undefined;

/** Keeps sessions in encrypted cookies of the page. */
export class SessionCookie {
  readonly #box: SecretBox;
  readonly #origin: () => string;

  /** `origin`: of the page, called for each request. */
  constructor(box: SecretBox, origin: () => string) {
    this.#box = box;
    this.#origin = origin;
  }

  /** The session that a request presents. */
  read(headers: IncomingHttpHeaders, now: number): Presented {
    const presented = cookiesNamed(headers, this.#name);
    const sessions = presented.flatMap((value) => this.#open(value) ?? []);
    return sessions.find(({ ends }) => ends > now) ?? (presented.length > 0 ? 'over' : undefined);
  }

  /** The `Set-Cookie` with which a session begins. */
  begin(session: Session): string {
    const cookie = `${this.#name}=${this.#box.close(purpose, JSON.stringify(session))}`;
    if (cookie.length > maxCookie)
      throw new SignInFault({
        status: 500,
        isOperators: true,
        message: `The session would need a cookie of ${cookie.length} bytes, and browsers keep at most ${maxCookie}.`,
      });
    return `${cookie}; ${cookieAttributes}; Max-Age=${cookieMaxAge}`;
  }

  /** The `Set-Cookie` with which it ends. */
  end(): string {
    return `${this.#name}=; ${cookieAttributes}; Max-Age=0`;
  }

  get #name(): string {
    return cookieName('session', this.#origin());
  }

  #open(value: string): Session | undefined {
    const text = this.#box.open(purpose, value);
    // Another version of Coxswain may have written another shape.
    return text === undefined ? undefined : sessionShape.safeParse(JSON.parse(text)).data;
  }
}

/**
 * Browsers take `__Host-` only with `Secure`, which they also accept from loopback without TLS. `Lax`: a link
 * from GitHub leads to a page where one is signed in, and no other site's form does.
 */
export const cookieAttributes = 'HttpOnly; Secure; SameSite=Lax; Path=/';

/** All ports of a host share cookies, so two Apps need two names. */
export function cookieName(what: 'session' | 'attempt', origin: string): string {
  return `__Host-coxswain_${what}_${new URL(origin).port || 'page'}`;
}
