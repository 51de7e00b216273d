import { isHost, nameOf } from '../../config/hosts.ts';
import { isModelHost } from '../../config/model-hosts.ts';
import { uses } from '../../config/schema/network.ts';
import type { BlockedHost } from '../../steering/attempt-result.ts';
import type { NetworkSettings, Use } from '../../steering/settings.ts';
import type { State } from '../../steering/state.ts';
import { yamlList } from '../../text/yaml-list.ts';
import { code, plain } from './sanitize.ts';

/**
 * The hosts that programs wanted and did not get, each with the command, and what would allow them; empty if
 * there are none.
 */
export function blockedText({ blocked = [], settings, run }: State): string {
  if (blocked.length === 0) return '';
  const allowing = allowingText(blocked, settings.network);
  const [first] = blocked;
  if (blocked.length === 1 && first !== undefined)
    return `**Blocked**: ${wanted(first, run)}. ${allowing}`.trim();
  return ['**Blocked**', blocked.map((each) => `- ${wanted(each, run)}`).join('\n'), allowing]
    .filter((part) => part !== '')
    .join('\n\n');
}

function wanted({ host, command, use, why }: BlockedHost, { presenter }: State['run']): string {
  const by = command === '' ? `by the ${programs[use]}` : `by ${code(command, 200)} (${programs[use]})`;
  const known = `${code(host, 260)}, wanted ${by}`;
  if (why === 'private') return `${known}: it leads to a private address, ${privateAnswers[presenter]}`;
  if (isModelHost(nameOf(host)))
    return `${known}: models are reached through our endpoint only (the word ${code('model')} for the agent)`;
  return isHost(host) ? known : `${known}: only hosts with a full name can be allowed`;
}

/** The Action has no operator. */
const privateAnswers: { readonly [P in State['run']['presenter']]: string } = {
  app: 'which only the operator of Coxswain can allow',
  action: 'which cannot be allowed in the Action',
};

const programs: { readonly [U in Use]: string } = {
  setup: 'setup',
  agent: 'agent',
  verifiers: 'verifiers',
};

/** The configuration that keeps what is allowed already. */
function allowingText(blocked: readonly BlockedHost[], network: NetworkSettings): string {
  const missing = blocked.filter(
    ({ host, why }) => why === 'unlisted' && isHost(host) && !isModelHost(nameOf(host)),
  );
  const concerned = uses.filter((use) => missing.some((each) => each.use === use));
  if (concerned.length === 0) return '';
  const entries = concerned.map((use) => {
    const hosts = missing.filter((each) => each.use === use).map(({ host }) => host.toLowerCase());
    return `${use}: ${yamlList([...network[use], ...hosts])}`;
  });
  const line = `network: { ${entries.join(', ')} }`;
  const those = missing.length === 1 ? 'it' : 'them';
  // Hosts are known to be names here, so nothing is lost by the length.
  return `To allow ${those}: ${code(line, 10_000)} in ${code('.github/coxswain.yml')}.`;
}

/** What people should know about how the programs ran, in small type; empty if there is nothing. */
export function noticesText({ notices = [] }: State): string {
  return notices.map((each) => `<sub>${plain(each, 500)}</sub>`).join('\n\n');
}
