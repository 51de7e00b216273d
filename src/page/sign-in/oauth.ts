import { createHash } from 'node:crypto';
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretPost,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { notUnderstood, SignInFault, signInFaultFrom } from './sign-in-fault.ts';

/** The App as GitHub knows it when people sign in to it. */
interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** GitHub's website, such as `https://github.com`. */
  readonly web: string;
  /** GitHub's API, such as `https://api.github.com`. */
  readonly apiUrl: string;
}

/** One attempt to sign in, which only the browser that began it can finish. */
export interface SignInAttempt {
  readonly state: string;
  /** The PKCE code verifier: 43 characters that only this browser and we know. */
  readonly verifier: string;
  /** Where GitHub sends the browser back to. */
  readonly redirectUri: string;
}

/** A person's token, and for how many whole seconds GitHub accepts it; absent where it never expires. */
interface UserToken {
  readonly token: string;
  readonly expiresIn: number | undefined;
}

const timeoutMs = 10_000;

/** GitHub's OAuth web flow with PKCE, for the user tokens of a GitHub App. */
export class OAuthFlow {
  readonly #app: OAuthApp;

  constructor(app: OAuthApp) {
    this.#app = app;
  }

  /** The address at GitHub where the person agrees. */
  authorizeUrl({ state, verifier, redirectUri }: SignInAttempt): string {
    const url = new URL(`${this.#app.web}/login/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: this.#app.clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    return url.href;
  }

  /** Trades what GitHub sent the browser back with for a token. Throws `SignInFault`. */
  async exchange(
    answer: URLSearchParams,
    { state, verifier, redirectUri }: SignInAttempt,
  ): Promise<UserToken> {
    try {
      // The library lets a repeated code through to here; it would be anybody's guess which one counts.
      if (answer.getAll('code').length > 1) throw new SignInFault(notUnderstood);
      const params = validateAuthResponse(this.#server, this.#client, answer, state);
      const response = await authorizationCodeGrantRequest(
        this.#server,
        this.#client,
        ClientSecretPost(this.#app.clientSecret),
        params,
        redirectUri,
        verifier,
        {
          signal: AbortSignal.timeout(timeoutMs),
          [allowInsecureRequests]: this.#app.web.startsWith('http://'),
        },
      );
      const granted = await processAuthorizationCodeResponse(this.#server, this.#client, response);
      const { access_token: token, expires_in: expiresIn } = granted;
      // Whoever got a session that is over already would be sent to sign in again and again.
      if (expiresIn !== undefined && expiresIn < 1) throw new SignInFault(notUnderstood);
      return { token, expiresIn: expiresIn && Math.floor(expiresIn) };
    } catch (fault) {
      throw signInFaultFrom(fault);
    }
  }

  /**
   * Makes GitHub forget this token, or the person's consent with every token of it. What GitHub no longer
   * knows is forgotten already. Throws if GitHub did not do it.
   */
  async revoke(token: string, what: 'token' | 'grant'): Promise<void> {
    const { apiUrl, clientId, clientSecret } = this.#app;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const { status } = await fetch(`${apiUrl}/applications/${encodeURIComponent(clientId)}/${what}`, {
      method: 'DELETE',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json' },
      body: JSON.stringify({ access_token: token }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (![204, 404, 422].includes(status)) throw new Error(`GitHub answered ${status}`);
  }

  get #server() {
    const { web } = this.#app;
    // GitHub names this issuer in the answer since August 2026; an Enterprise Server names none.
    return { issuer: `${web}/login/oauth`, token_endpoint: `${web}/login/oauth/access_token` };
  }

  get #client() {
    return { client_id: this.#app.clientId };
  }
}
