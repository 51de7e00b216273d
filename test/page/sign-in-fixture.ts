import type { App } from '@coxswain/forge';
import { GitHubEntrance } from '../../src/page/sign-in/github-entrance.ts';
import { OAuthFlow } from '../../src/page/sign-in/oauth.ts';
import { newSealKey, parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSecretBox } from '../../src/seal/secret-box.ts';
import { Browser } from './browser.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';

/** A page that people sign in to with their accounts on the forge: ada may do everything, bob may write. */
export interface SignInFixture extends PageFixture {
  readonly app: App;
  readonly entrance: GitHubEntrance;
  /** The path of the run. */
  readonly path: string;
  /** What the page has logged. */
  readonly logged: readonly string[];
  /** Sets the page's clock forward, in milliseconds. */
  waits(ms: number): void;
  /** Replaces the keys of sessions, as a restart with others does. */
  useKeys(keys: string): void;
  /** Lets the page sign in with this client secret, as a restart does. */
  useSecret(client_secret: string): void;
  /** A new browser in which somebody has signed in from the page of the run. */
  signsIn(login: string): Promise<Browser>;
}

export const firstKey = newSealKey();

export async function startSignInFixture(): Promise<SignInFixture> {
  const logged: string[] = [];
  const log = (text: string) => void logged.push(text);
  const made: { app?: App; entrance?: GitHubEntrance } = {};
  let [later, keys, secret] = [0, firstKey, ''];
  const fixture = await startFixture(({ forge, identity, origin }) => {
    forge.seed.addUser('bob');
    forge.seed.setCollaborator('acme/api', 'bob', 'write');
    const app = appOn(forge);
    secret = app.client_secret;
    const shared = { clientId: app.client_id, web: forge.url, apiUrl: forge.apiUrl };
    const box = () => openSecretBox(parseSealKeys(keys));
    const entrance = new GitHubEntrance({
      flow: new OAuthFlow({
        ...shared,
        get clientSecret() {
          return secret;
        },
      }),
      box: { close: (...given) => box().close(...given), open: (...given) => box().open(...given) },
      identify: (token) => identity.callerOf(token),
      now: () => Date.now() + later,
      log: { debug: log, info: log, warn: log, error: log },
      origin,
    });
    Object.assign(made, { app, entrance });
    return entrance;
  });
  const { app, entrance } = made;
  if (app === undefined || entrance === undefined) throw new Error('the page was opened without an entrance');
  const path = `/acme/api/pull/${fixture.pull}`;
  return {
    ...{ ...fixture, app, entrance, path, logged },
    waits: (ms) => {
      later += ms;
    },
    useKeys: (text) => {
      keys = text;
    },
    useSecret: (text) => {
      secret = text;
    },
    signsIn: async (login) => {
      const browser = new Browser();
      const { status } = await browser.signsIn(`${fixture.url}/sign-in?to=${path}`, login);
      if (status !== 200) throw new Error(`${login} could not sign in: ${browser.url} says ${status}`);
      return browser;
    },
  };
}

function appOn({ seed }: PageFixture['forge']): App {
  const app = seed.createApp({
    ...{ slug: 'coxswain', name: 'Coxswain', owner: 'acme', webhook_url: '', webhook_secret: 'secret' },
    permissions: { contents: 'write', pull_requests: 'write', issues: 'write', metadata: 'read' },
    events: [],
    callback_urls: ['http://127.0.0.1/sign-in/callback'],
  });
  seed.installApp(app, ['acme/api']);
  return app;
}
