import { createAppAuth } from '@octokit/auth-app';
import { type Connection, type ConnectionSettings, connect } from './connect.ts';

interface AppCredentials {
  readonly appId: number | string;
  /** The App's private key, in PEM. */
  readonly privateKey: string;
  /** Without it the client acts as the App itself, which can do little but list its deliveries. */
  readonly installationId?: number;
}

/**
 * An API client for an App or one of its installations. Apart from `connect`, which the Action has as well.
 */
export function connectAsApp(options: ConnectionSettings & { readonly auth: AppCredentials }): Connection {
  const { auth, ...settings } = options;
  const renews = auth.installationId !== undefined;
  return connect({ ...settings, signIn: { strategy: createAppAuth, options: { ...auth }, renews } });
}
