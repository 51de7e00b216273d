import { isWithin, uses } from '../../config/schema/bounds.ts';
import { isHost, nameOf } from '../../config/schema/hosts.ts';
import { isModelHost } from '../../config/schema/model-hosts.ts';
import { isReach } from '../../config/schema/network.ts';
import type { BlockedHost } from '../../steering/shapes/attempt-result.ts';
import type { Settings, Use } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { yamlList } from '../../text/yaml-list.ts';
import { configFile } from './phrases.ts';
import { code, paragraphs, plain, under } from './sanitize.ts';

/**
 * The hosts that programs wanted and did not get, each with the command, and what would allow them; empty if
 * there are none.
 */
export function blockedText(state: State): string {
  const { blocked = [] } = state;
  if (blocked.length === 0) return '';
  const allowing = allowingText(blocked, state);
  const [first] = blocked;
  if (blocked.length === 1 && first !== undefined)
    return `**Blocked**: ${wanted(first, state)}. ${allowing}`.trim();
  const lines = blocked.map((each) => `- ${wanted(each, state)}`);
  return paragraphs([under('**Blocked**', lines), allowing]);
}

function wanted(blocked: BlockedHost, { settings, run }: State): string {
  const { host, command, use, why } = blocked;
  const by = command === '' ? `by the ${programs[use]}` : `by ${code(command, 200)} (${programs[use]})`;
  const known = `${code(host, 260)}, requested ${by}`;
  if (why === 'private')
    return `${known}: it resolves to a private address, ${privateAnswers[run.presenter]}`;
  if (isOfModel(blocked))
    return `${known}: models can be reached only through our endpoint (the word ${code('model')} for the agent)`;
  if (!isHost(host)) return `${known}: only hosts with a full name can be allowed`;
  return mayBeListed(blocked, settings) ? known : `${known}: ${onlyOperator} allow it`;
}

function isOfModel({ host, why }: BlockedHost): boolean {
  return why === 'model' || isModelHost(nameOf(host));
}

/** Whether the operator's bound, if there is one, has the host. */
function mayBeListed({ host, use }: BlockedHost, { most }: Settings): boolean {
  return most?.network === undefined || isWithin(most.network[use], host.toLowerCase());
}

const onlyOperator = 'only the operator of Coxswain can';

/** The Action has no operator. */
const privateAnswers: { readonly [P in State['run']['presenter']]: string } = {
  app: `which ${onlyOperator} allow`,
  action: 'which cannot be allowed in the Action',
};

const programs: { readonly [U in Use]: string } = {
  setup: 'setup',
  agent: 'agent',
  verifiers: 'verifiers',
};

/**
 * The configuration that keeps what is allowed already; empty where there is no file, or where the line would
 * make it invalid.
 */
function allowingText(blocked: readonly BlockedHost[], { settings }: State): string {
  if (settings.inputs !== undefined) return '';
  const missing = blocked.filter(
    (each) => each.why === 'unlisted' && isHost(each.host) && !isOfModel(each) && mayBeListed(each, settings),
  );
  const reaches = uses.flatMap((use) => {
    const hosts = missing.filter((each) => each.use === use).map(({ host }) => host.toLowerCase());
    const reach = [...new Set([...settings.network[use], ...hosts])];
    return hosts.length > 0 && isReach(use, reach) ? [{ use, reach, count: hosts.length }] : [];
  });
  if (reaches.length === 0) return '';
  const line = `network: { ${reaches.map(({ use, reach }) => `${use}: ${yamlList(reach)}`).join(', ')} }`;
  const those = reaches.reduce((sum, { count }) => sum + count, 0) === 1 ? 'it' : 'them';
  // Hosts are known to be names here, so nothing is lost by the length.
  return `To allow ${those}: ${code(line, 10_000)} in ${configFile({ settings })}.`;
}

/** What people should know about how the programs ran, in small type; empty if there is nothing. */
export function noticesText({ notices = [] }: State): string {
  return notices.map((each) => `<sub>${plain(each, 500)}</sub>`).join('\n\n');
}
