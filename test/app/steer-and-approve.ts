import type { AppFixture } from './app-fixture.ts';
import type { PullClient } from './pull-client.ts';

/** One session: label, green, steer, green, approve, ready for review. */
export async function steerAndApprove({ ada }: Pick<AppFixture, 'ada'>): Promise<PullClient> {
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  await ada.says(pull, '/steer make it better');
  const { head_sha } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  await ada.says(pull, `/approve ${head_sha}`);
  await pull.waitForPhase('approved');
  await pull.waitForDraft(false);
  return pull;
}
