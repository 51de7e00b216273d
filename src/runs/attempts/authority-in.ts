import type { Authority } from '../../steering/approval/authority.ts';
import { redactAll } from '../../text/redact.ts';
import { authorityOf } from '../authority.ts';
import { keepTrying, type LeasedWork } from './leased-work.ts';

/** Who has a say about the files of a verified commit, by the base that the attempt has fetched. */
export async function authorityIn(
  { run, state, options, resources }: LeasedWork,
  head: string,
): Promise<Authority | undefined> {
  const change = { base: state.run.base, head, approval: state.settings.approval };
  const find = () => authorityOf(run.repository, change, state.run);
  const doing = `find who has a say about the files of ${run.name}`;
  return redactAll(await keepTrying(find, { doing, options }), resources.secrets);
}
