import { describe, expect, test } from 'vitest';
import { sealedText, textSha256 } from '../../../src/github/marks.ts';
import { GitHubFault } from '../../../src/github/octokit/fault.ts';
import { newSealKey, parseSealKeys } from '../../../src/seal/seal-keys.ts';
import { openSeals } from '../../../src/seal/seals.ts';
import { expectOnlyStubbedRequests, github, stubEdits, stubRole } from '../octokit/github.ts';
import * as deliveries from './deliveries.ts';
import { eventOf, translateDelivery } from './translating.ts';

expectOnlyStubbedRequests();

const ada = { login: 'ada', id: deliveries.idOf('ada') };
const eve = { login: 'eve', id: deliveries.idOf('eve') };

const seals = openSeals(parseSealKeys(newSealKey()));

/** What Ada said through our page. */
function sealed(text: string): string {
  const there = { repository_id: 4711, number: 7, user_id: ada.id };
  return sealedText(text, there, { at: '2026-11-21T12:00:00Z', door: 'page' }, seals);
}

describe('a comment', () => {
  test('with a command is that command, by its author with their current role', async () => {
    stubRole('ada', 'maintain');
    const says = '/steer Also fix tests';
    expect(await translateDelivery('issue_comment', deliveries.comment({ says }))).toEqual([
      {
        kind: 'event',
        number: 7,
        event: {
          type: 'said',
          id: 'comment:555@2026-11-21T12:00:00Z',
          at: '2026-11-21T12:00:00Z',
          by: { login: 'ada', id: deliveries.idOf('ada'), role: 'maintain', bot: false },
          command: { type: 'steer', prompt: 'Also fix tests', now: false },
          source: {
            from: 'comment',
            comment_id: 555,
            text_sha256: textSha256(says),
            written_at: '2026-11-21T12:00:00Z',
          },
        },
      },
    ]);
  });

  test('that was edited before we read it is the same as in the webhook that comes late', async () => {
    stubRole('ada', 'write');
    const late = await translateDelivery('issue_comment', deliveries.comment({ says: '/steer Fix tets' }));
    stubRole('ada', 'write');
    stubEdits({ IC_555: [ada] });
    const edited = { says: '/steer Fix tests', updated_at: '2026-11-21T12:03:00Z' };
    const found = await translateDelivery('issue_comment', deliveries.comment(edited));
    const idsOf = (runEvents: typeof late) => runEvents.map((each) => each.kind === 'event' && each.event.id);
    expect(idsOf(found)).toEqual(idsOf(late));
  });

  test('with an answer may name the question, and keeps a token out of the event', async () => {
    stubRole('ada', 'write');
    const says = '/answer question:7:12 Use ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
    expect(await eventOf('issue_comment', deliveries.comment({ says }))).toMatchObject({
      id: 'comment:555@2026-11-21T12:00:00Z',
      command: { type: 'answer', question: 'question:7:12', text: 'Use [REDACTED]' },
    });
  });

  test('keeps a pasted token out of the event', async () => {
    stubRole('ada', 'maintain');
    const token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
    const says = `/steer Use ${token.slice(0, 9)}\u200b${token.slice(9)}`;
    const event = await eventOf('issue_comment', deliveries.comment({ says }));
    expect(event).toMatchObject({
      command: { type: 'steer', prompt: 'Use [REDACTED]', now: false },
      source: { text_sha256: textSha256(says) },
    });
  });

  test.each([
    ['quotes', '> /approve'],
    ['code', '```\n/approve\n```'],
    ['an HTML comment', '<!-- /approve -->\n\n<!--\n/approve\n-->'],
  ])('with a command in %s is ignored', async (_, says) => {
    expect(await translateDelivery('issue_comment', deliveries.comment({ says }))).toEqual([]);
  });

  test.each(['renovate[bot]', 'coxswain[bot]'])('from %s is ignored', async (author) => {
    expect(
      await translateDelivery('issue_comment', deliveries.comment({ says: '/approve', author })),
    ).toEqual([]);
  });

  test('of our own, written with a person’s token, is recognized by its marker', async () => {
    const says = '/approve\n\n<!-- coxswain:ask approval:7:3 -->';
    expect(await translateDelivery('issue_comment', deliveries.comment({ says }), { own: 'ada' })).toEqual(
      [],
    );
    stubRole('ada', 'write');
    expect(
      await translateDelivery('issue_comment', deliveries.comment({ says: '/approve' }), { own: 'ada' }),
    ).toHaveLength(1);
  });

  test('by someone who is not a collaborator has no role', async () => {
    github()
      .get('/repos/acme/api/collaborators/eve/permission')
      .reply(404, { message: 'Not Found' }, { date: 'Sat, 21 Nov 2026 12:00:00 GMT' });
    const event = await eventOf('issue_comment', deliveries.comment({ says: '/steer x', author: 'eve' }));
    expect(event).toMatchObject({ by: { login: 'eve', role: 'none' } });
  });

  test('whose author’s role is unknown is an error, not permission or refusal', async () => {
    github().get('/repos/acme/api/collaborators/ada/permission').times(3).reply(500);
    const runEvent = translateDelivery('issue_comment', deliveries.comment({ says: '/approve' }));
    await expect(runEvent).rejects.toBeInstanceOf(GitHubFault);
  });

  test('by someone with a custom role counts as the permission it is based on', async () => {
    github()
      .get('/repos/acme/api/collaborators/ada/permission')
      .reply(
        200,
        { permission: 'write', role_name: 'release captain' },
        { date: 'Sat, 21 Nov 2026 12:00:00 GMT' },
      );
    const event = await eventOf('issue_comment', deliveries.comment({ says: '/approve' }));
    expect(event).toMatchObject({ by: { role: 'write' } });
  });

  test('whose text may have been edited before its delivery counts if only its author did that', async () => {
    const payload = () => deliveries.comment({ says: '/approve', updated_at: '2026-11-21T12:00:01Z' });
    stubEdits({ IC_555: [ada, eve] });
    expect(await translateDelivery('issue_comment', payload())).toEqual([]);
    stubEdits({ IC_555: [ada, ada] });
    stubRole('ada', 'write');
    expect(await translateDelivery('issue_comment', payload())).toHaveLength(1);
  });

  test.each([
    { id: 5, slug: 'helper' },
    { id: 1, slug: 'coxswain' },
  ])('that %o wrote on behalf of its author says so', async (via) => {
    stubRole('ada', 'write');
    const event = await eventOf('issue_comment', deliveries.comment({ says: '/approve', via }));
    expect(event).toMatchObject({ type: 'said', by: ada, via_app: via.slug });
    expect(event).not.toHaveProperty('source.door');
  });

  test('that was said through a door of ours is by its author alone, and names the door', async () => {
    stubRole('ada', 'write');
    const says = sealed('/steer Use a retry');
    const via = { id: 1, slug: 'coxswain' };
    const event = await eventOf('issue_comment', deliveries.comment({ says, via }), { seals });
    expect(event).toMatchObject({
      command: { type: 'steer', prompt: 'Use a retry', now: false },
      source: { from: 'comment', door: 'page', text_sha256: textSha256(says) },
    });
    expect(event).not.toHaveProperty('via_app');
  });

  test('that was said through a door may only be withdrawn with a token of our App', async () => {
    const via = { id: 1, slug: 'coxswain' };
    const edited = async (says: string) => {
      const former = sealed('/steer Use a retry');
      return eventOf('issue_comment', deliveries.comment({ action: 'edited', says, former, via }), { seals });
    };
    const changed = await edited(sealed('/steer Use a retry').replace('retry', 'sleep'));
    expect(changed).toMatchObject({ type: 'comment_changed', by_author: true, text: null });
  });

  test('with an invalid command is passed on, so that the reply can show its usage', async () => {
    stubRole('ada', 'write');
    const event = await eventOf('issue_comment', deliveries.comment({ says: '/steer' }));
    expect(event).toMatchObject({ command: { type: 'misspoken', name: 'steer' } });
  });

  test('on an issue can only be /run', async () => {
    expect(
      await translateDelivery('issue_comment', deliveries.comment({ says: '/approve', pull: false })),
    ).toEqual([]);
  });
});

describe('an edited comment', () => {
  const former = '/steer Also fix tests';

  test('has the new prompt when its author edited it', async () => {
    stubEdits({ IC_555: [ada, ada] });
    const payload = deliveries.comment({ action: 'edited', says: '/steer Fix the docs', former });
    expect(await eventOf('issue_comment', payload)).toEqual({
      number: 7,
      type: 'comment_changed',
      id: expect.stringMatching(/^comment:555@2026-11-21T12:03:00Z:edited:[0-9a-f]{12}$/),
      at: '2026-11-21T12:03:00Z',
      comment_id: 555,
      by_author: true,
      by: 'ada',
      text: 'Fix the docs',
    });
  });

  test('says so when someone else edited it', async () => {
    const payload = deliveries.comment({ action: 'edited', says: '/steer Be evil', former, sender: 'eve' });
    expect(await eventOf('issue_comment', payload)).toMatchObject({ by_author: false, by: 'eve' });
  });

  test('is nobody’s own if someone else had edited it before its author did', async () => {
    const payload = deliveries.comment({ action: 'edited', says: '/steer Be evil', former });
    stubEdits({ IC_555: [ada, eve, ada] });
    expect(await eventOf('issue_comment', payload)).toMatchObject({ by_author: false, by: 'eve' });
  });

  test('is somebody else’s if someone with its author’s former login edited it', async () => {
    const payload = deliveries.comment({ action: 'edited', says: '/steer Be evil', former });
    const taken = { ...payload, sender: { ...deliveries.user('ada'), id: 5 } };
    expect(await eventOf('issue_comment', taken)).toMatchObject({ by_author: false, by: 'ada' });
  });

  test('does not answer again', async () => {
    const payload = deliveries.comment({ action: 'edited', says: '/answer 2', former: '/answer 1' });
    expect(await eventOf('issue_comment', payload)).toMatchObject({ type: 'comment_changed', text: null });
  });

  test('is never a new command', async () => {
    const payload = deliveries.comment({ action: 'edited', says: '/approve', former: 'hello' });
    expect(await eventOf('issue_comment', payload)).toMatchObject({ type: 'comment_changed', text: null });
  });

  test('that was deleted has no text and an id of its own', async () => {
    const payload = deliveries.comment({ action: 'deleted', says: former });
    expect(await eventOf('issue_comment', payload)).toMatchObject({
      id: 'comment:555:deleted',
      at: '2026-11-21T12:00:09Z',
      text: null,
      by_author: true,
    });
  });
});
