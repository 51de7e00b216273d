import type { AppEnvironment } from '../../app/environment/environment.ts';
import { callbackUrlOf } from '../../app/environment/page-address.ts';
import type { AppIdentity } from '../../app/installations.ts';
import { type Finding, note, ok, problem, unseen } from './doctor-finding.ts';

/** Whether people can sign in to the page, as far as GitHub tells an App about itself. */
export function examineSignIn(
  { clientId }: Pick<AppIdentity, 'clientId'>,
  { signIn, pageToken, pageUrl }: AppEnvironment,
): readonly Finding[] {
  if (pageToken !== null) return [note('sign-in', oneOwner)];
  if (signIn === null || pageUrl === null) return [note('sign-in', 'nobody can sign in: there is no page')];
  return [
    client(signIn.clientId, clientId),
    ok('session-key', `new sessions are encrypted with ${signIn.keys.current.id}`),
    unseen(
      'callback-url',
      `GitHub does not show an App's callback URLs: one has to be ${callbackUrlOf(pageUrl)}, and matched exactly`,
    ),
    unseen(
      'client-secret',
      'GitHub does not show whether GITHUB_CLIENT_SECRET is right, nor whether tokens of people expire: they should',
    ),
  ];
}

const oneOwner = 'nobody signs in: the page acts as the owner of COXSWAIN_PAGE_TOKEN, on this machine alone';

function client(ours: string, real: string | undefined): Finding {
  if (real === undefined)
    return unseen(
      'sign-in',
      'this GitHub does not tell the client ID of the App, which GITHUB_CLIENT_ID has to be',
    );
  if (ours === real) return ok('sign-in', 'people sign in with the client ID of the App');
  return problem(
    'sign-in',
    `nobody can sign in: GITHUB_CLIENT_ID is ${ours}, and the App's client ID is ${real}`,
    'Copy the client ID from the settings of the App, and generate a client secret there',
  );
}
