/** A browser with one person's cookies, which follows redirects, and can sign in at the forge. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Where the last answer came from. */
  url = '';

  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#follow(url, { headers });
  }

  /** Sends a form from the same site. */
  async post(url: string, fields: Record<string, string>): Promise<Response> {
    return this.send(url, new URLSearchParams(fields));
  }

  /** The same for a form that has a field more than once. */
  async send(url: string, body: URLSearchParams): Promise<Response> {
    return this.#follow(url, { method: 'POST', body, headers: { origin: new URL(url).origin } });
  }

  /** One request, whose redirect is not followed. */
  async once(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, accept: 'text/html,*/*;q=0.8', ...Object(init.headers) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const each of response.headers.getSetCookie()) keep(each, jar);
    this.url = url;
    return response;
  }

  /** Opens a page that leads to the forge, and agrees there as somebody. */
  async signsIn(url: string, login: string): Promise<Response> {
    const asked = await this.get(url);
    if (asked.status !== 200) throw new Error(`${this.url} was answered with ${asked.status}`);
    return this.post(this.url, { do: 'authorize', login });
  }

  /** The cookies of a host, to be given to others or changed. */
  cookiesOf(url: string): Map<string, string> {
    return this.#cookies.get(new URL(url).host) ?? new Map();
  }

  async #follow(first: string, init: RequestInit): Promise<Response> {
    let response = await this.once(first, init);
    for (let count = 0; response.status >= 300 && response.status < 304; count++) {
      if (count > 10) throw new Error(`too many redirects from ${first}`);
      response = await this.once(new URL(response.headers.get('location') ?? '', this.url).href);
    }
    return response;
  }
}

function keep(cookie: string, jar: Map<string, string>): void {
  const [pair = '', ...attributes] = cookie.split('; ');
  const [name = '', ...value] = pair.split('=');
  if (attributes.includes('Max-Age=0')) jar.delete(name);
  else jar.set(name, value.join('='));
}
