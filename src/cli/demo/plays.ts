import { shortSha } from '../../steering/words/short-sha.ts';
import type { Session } from './session.ts';
import type { Story } from './stories/index.ts';

/** What Ada does in each story, when it plays by itself. */
export const plays: Readonly<Record<Story['name'], (session: Session) => Promise<void>>> = {
  discount: async (session) => {
    await session.start(1);
    await session.reach('awaiting_approval');
    await session.say('/steer also handle an empty list');
    await approve(session, 1);
  },
  flaky: async (session) => {
    await session.start(2);
    await session.reach('awaiting_approval');
    await session.say('/reject The test found a real fault: mend the sum');
    await session.reachClosed();
    await session.start(2);
    await approve(session);
  },
  upgrade: async (session) => {
    await session.start(3);
    const { head_sha } = await session.reach('awaiting_resolution');
    await session.say(`/approve ${shortSha(head_sha)} --despite lint`);
    await finish(session);
  },
};

async function approve(session: Session, iteration = 0): Promise<void> {
  const { head_sha } = await session.reach('awaiting_approval', iteration);
  await session.say(`/approve ${shortSha(head_sha)}`);
  await finish(session, iteration);
}

async function finish(session: Session, iteration = 0): Promise<void> {
  await session.reach('approved', iteration);
  await session.reachReview();
}
