import { describe, expect, test } from 'vitest';
import type { NotifyTarget } from '../../src/config/operator/targets.ts';
import { notifierOf } from '../../src/notify/notifier.ts';
import type { Message, Sent } from '../../src/notify/target-message.ts';
import { aMessage, hostileLines } from './messages.ts';
import { receiver, secret } from './receiver.ts';

type Kind = 'slack' | 'teams' | 'webhook';

/** What a target of this kind is sent. */
async function sentTo(to: Kind, message: Message): Promise<string> {
  const { url, received } = await receiver();
  const target: NotifyTarget = {
    name: 'one',
    private: true,
    url,
    ...(to === 'webhook' ? { to, secret } : { to }),
  };
  expect(await notifierOf([target]).send('one', message, new AbortController().signal)).toEqual({
    outcome: 'accepted',
  });
  return received[0]?.body ?? '';
}

const hostile = aMessage({ title: `acme/api#7: Coxswain finished ${hostileLines[1]}`, lines: hostileLines });

describe('Slack', () => {
  test('is sent plain text, and one link of ours', async () => {
    expect(JSON.parse(await sentTo('slack', aMessage()))).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "text": {
              "emoji": false,
              "text": "acme/api#7: Coxswain finished Fix the login",
              "type": "plain_text",
            },
            "type": "header",
          },
          {
            "text": {
              "emoji": false,
              "text": "The session is renewed on Mondays too.
      api: 1 file changed, +30, -5",
              "type": "plain_text",
            },
            "type": "section",
          },
          {
            "text": {
              "text": "<https://github.com/acme/api/pull/7|Open on GitHub>",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
        ],
        "link_names": false,
        "mrkdwn": false,
        "parse": "none",
        "text": "acme/api#7: Coxswain finished Fix the login",
        "unfurl_links": false,
        "unfurl_media": false,
      }
    `);
  });

  test('takes nothing for a mention or a link that others have written', async () => {
    const { text, blocks } = JSON.parse(await sentTo('slack', hostile));
    expect(text).not.toMatch(/[<>]/);
    expect(blocks).toMatchInlineSnapshot(`
      [
        {
          "text": {
            "emoji": false,
            "text": "acme/api#7: Coxswain finished &lt;https://evil.example|Approve&gt; [Approve](https://evil.example) &lt;a href="https://evil.example"&gt;Approve&lt;/a",
            "type": "plain_text",
          },
          "type": "header",
        },
        {
          "text": {
            "emoji": false,
            "text": "&lt;!channel&gt; &lt;@U123&gt; @here *bold* _it_ \`code\` &amp;amp; :tada:
      &lt;https://evil.example|Approve&gt; [Approve](https://evil.example) &lt;a href="https://evil.example"&gt;Approve&lt;/a&gt;
      runtxt.exe Approve ab c
      - [x] # **Heading**
      &gt; quote tab �
      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
            "type": "plain_text",
          },
          "type": "section",
        },
        {
          "text": {
            "text": "<https://github.com/acme/api/pull/7|Open on GitHub>",
            "type": "mrkdwn",
            "verbatim": true,
          },
          "type": "section",
        },
      ]
    `);
  });

  test('is sent no more than its bounds', async () => {
    const lines = Array.from({ length: 1000 }, () => '&'.repeat(1000));
    const { blocks } = JSON.parse(await sentTo('slack', aMessage({ title: '<'.repeat(1000), lines })));
    expect(blocks.length).toBeLessThanOrEqual(50);
    for (const { text } of blocks) expect(text.text.length).toBeLessThanOrEqual(3000);
    expect(blocks[0].text.text).toMatch(/^(?:&lt;){37}$/);
    expect(blocks.at(-2).text.text).toMatch(/\nand 961 more lines$/);
  });
});

describe('a channel of Slack', () => {
  async function post(
    answer: object | string,
    given: Partial<Message> = {},
  ): Promise<[Sent, ReturnType<typeof JSON.parse>]> {
    const { url, received } = await receiver((response) =>
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer)),
    );
    const target: NotifyTarget = {
      name: 'one',
      to: 'slack',
      private: true,
      channel: 'C0123456789',
      token: 'xoxb-1',
    };
    const notifier = notifierOf([target], { slack: url });
    const sent = await notifier.send('one', aMessage(given), new AbortController().signal);
    expect(received[0]?.headers['authorization']).toBe('Bearer xoxb-1');
    return [sent, JSON.parse(received[0]?.body ?? '')];
  }

  test('begins a thread with the first message of a run', async () => {
    const [sent, body] = await post({ ok: true, channel: 'C0123456789', ts: '1741003200.000100' });
    expect(sent).toEqual({ outcome: 'accepted', thread: '1741003200.000100' });
    expect(body).toMatchObject({ channel: 'C0123456789', text: aMessage().title, unfurl_links: false });
    expect(Object.keys(body)).not.toContain('thread_ts');
  });

  test('continues it, and shows in the channel what waits for people', async () => {
    const thread = '1741003200.000100';
    const [sent, body] = await post({ ok: true, ts: '1741003300.000200' }, { thread });
    expect(sent).toEqual({ outcome: 'accepted', thread });
    expect(body).toMatchObject({ thread_ts: thread, reply_broadcast: true });
    const { time, actor, run } = { time: '2025-03-03T12:00:00.000Z', actor: null, run: 'acme/api#7' };
    const announcement = { event: 'run_finished', time, actor, run, phase: 'done', merged: true } as const;
    const [, ended] = await post({ ok: true, ts: '1741003400.000300' }, { thread, announcement });
    expect(Object.keys(ended)).not.toContain('reply_broadcast');
  });

  test('that names no place has taken the message all the same', async () => {
    expect((await post({ ok: true }))[0]).toEqual({ outcome: 'accepted' });
    expect((await post({ ok: true, ts: 'x'.repeat(60_000) }))[0]).toEqual({ outcome: 'accepted' });
  });

  test.each([
    [{ ok: false, error: 'not_in_channel' }, 'Slack refuses it: not_in_channel'],
    [{ ok: false, error: 'https://evil.example/' }, 'Slack gave an answer that cannot be read'],
    [{ ok: 'true' }, 'Slack gave an answer that cannot be read'],
    ['null', 'Slack gave an answer that cannot be read'],
    ['<html>', 'Slack gave an answer that cannot be read'],
    ['', 'Slack gave an answer that cannot be read'],
  ])('that is answered %j has not taken it', async (answer, reason) => {
    expect((await post(answer))[0]).toEqual({ outcome: 'refused', reason, forGood: false });
  });
});

describe('Teams', () => {
  test('is sent a card with runs of text, and a button of ours', async () => {
    expect(JSON.parse(await sentTo('teams', aMessage()))).toMatchInlineSnapshot(`
      {
        "attachments": [
          {
            "content": {
              "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
              "actions": [
                {
                  "title": "Open on GitHub",
                  "type": "Action.OpenUrl",
                  "url": "https://github.com/acme/api/pull/7",
                },
              ],
              "body": [
                {
                  "inlines": [
                    {
                      "size": "Medium",
                      "text": "acme/api#7: Coxswain finished Fix the login",
                      "type": "TextRun",
                      "weight": "Bolder",
                    },
                  ],
                  "spacing": "Small",
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "text": "The session is renewed on Mondays too.",
                      "type": "TextRun",
                    },
                  ],
                  "spacing": "Small",
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "text": "api: 1 file changed, +30, -5",
                      "type": "TextRun",
                    },
                  ],
                  "spacing": "Small",
                  "type": "RichTextBlock",
                },
              ],
              "msteams": {
                "width": "Full",
              },
              "type": "AdaptiveCard",
              "version": "1.4",
            },
            "contentType": "application/vnd.microsoft.card.adaptive",
          },
        ],
        "type": "message",
      }
    `);
  });

  test('is sent texts of others only where nothing is Markdown', async () => {
    const [{ content }] = JSON.parse(await sentTo('teams', hostile)).attachments;
    for (const { type, inlines } of content.body) {
      expect(type).toBe('RichTextBlock');
      for (const run of inlines) expect(run.type).toBe('TextRun');
    }
    expect(content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open on GitHub', url: aMessage().url },
    ]);
    expect(JSON.stringify(content.body)).toContain('[Approve](https://evil.example)');
  });

  test('is sent no more than its bounds', async () => {
    const body = await sentTo(
      'teams',
      aMessage({ lines: Array.from({ length: 100 }, () => '漢'.repeat(1000)) }),
    );
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28_000);
    const [{ content }] = JSON.parse(body).attachments;
    expect(content.body.at(-1).inlines[0].text).toBe('…');
    expect(content.body.length).toBeGreaterThan(20);
  });
});

describe('a webhook', () => {
  test('is sent the announcement, a text and a link', async () => {
    expect(JSON.parse(await sentTo('webhook', aMessage()))).toMatchInlineSnapshot(`
      {
        "data": {
          "actor": null,
          "event": "approval_requested",
          "interaction": "approval:7:9",
          "request": {
            "auto_approve_timeout": null,
            "created_at": "2025-03-03T12:00:00.000Z",
            "details": {
              "commands": [],
              "files": [
                {
                  "additions": 30,
                  "deletions": 5,
                  "path": "src/login.ts",
                  "status": "modified",
                },
              ],
              "gates": [],
              "summary": "1 file changed, +30, -5",
              "verifiers": [
                {
                  "name": "test",
                  "required": true,
                  "success": true,
                },
              ],
            },
            "proposed_action": "mark #7 as ready for review at 1111111",
            "reason": "iteration 0 is verified with high confidence",
            "risk_level": "low",
            "subtask_id": "implement",
            "task_id": "fix-login",
          },
          "run": "acme/api#7",
          "text": "The session is renewed on Mondays too.
      api: 1 file changed, +30, -5",
          "time": "2025-03-03T12:00:00.000Z",
          "title": "acme/api#7: Coxswain finished Fix the login",
          "url": "https://github.com/acme/api/pull/7",
        },
        "timestamp": "2025-03-03T12:00:00.000Z",
        "type": "approval_requested",
      }
    `);
  });

  test('is sent what a reader sees of texts of others', async () => {
    const { data } = JSON.parse(await sentTo('webhook', hostile));
    expect(data.text).toMatchInlineSnapshot(`
      "<!channel> <@U123> @here *bold* _it_ \`code\` &amp; :tada:
      <https://evil.example|Approve> [Approve](https://evil.example) <a href="https://evil.example">Approve</a>
      runtxt.exe Approve ab c
      - [x] # **Heading**
      > quote tab �
      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"
    `);
  });

  test.each([
    ['long texts', { texts: 5_000, entries: 3 }],
    ['long lists', { texts: 10, entries: 1_000 }],
    ['long lists of long texts', { texts: 4_000, entries: 60 }],
  ])('is sent whole JSON of at most 20 KB, whatever has %s', async (_, { texts, entries }) => {
    const message = longMessage('漢\u202e"\n'.repeat(texts / 4), entries);
    const body = await sentTo('webhook', message);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(20_000);
    const { type, data } = JSON.parse(body);
    expect([type, data.run, data.url]).toEqual(['approval_requested', 'acme/api#7', message.url]);
    expect(data.request.details.summary).toMatch(/^漢/);
    expect(body).not.toMatch(/\u202e/);
  });
});

function longMessage(text: string, entries: number): Message {
  const { announcement } = aMessage();
  if (!('request' in announcement)) throw new Error('nothing is requested');
  const list = <T>(entry: T) => Array.from({ length: entries }, () => entry);
  const details = {
    summary: text,
    files: list({ path: text, status: 'added', additions: 1, deletions: 0 } as const),
    commands: list(text),
    verifiers: list({ name: text, success: true, required: true }),
    gates: list({ rule: 'r', severity: 'low', evidence: text } as const),
  };
  const request = { ...announcement.request, reason: text, details };
  return aMessage({ lines: list(text), announcement: { ...announcement, request } });
}
