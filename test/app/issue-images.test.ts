import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { shellAgent } from '../agent/shell-agent.ts';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { at } from './person.ts';

/** What an agent sees of the images on the issue of its task. */
let fixture: AppFixture;

const png = Buffer.from('\u0089PNG\r\n\u001a\nrest', 'latin1');
const gif = Buffer.from('GIF89a....');

beforeAll(async () => {
  const config = `version: 1
agent: { use: acp, command: [node, tools/agent.mjs, "echo $SEEN > src/0.txt"], timeout: 60s }
verifiers: [{ name: test, run: "true" }]
`;
  const files = { '.github/coxswain.yml': config, 'tools/agent.mjs': shellAgent };
  fixture = await startAppFixture({ files });
});
afterAll(() => expectCleanEnd(fixture));

test('images of the issue and of its comments reach the agent, and nothing that only looks like one', async () => {
  const { forge, ada, mia, grace } = fixture;
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end(png);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A server that listens on a port has an address of that shape.
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { addAttachment } = forge.seed;
  const page = addAttachment('image/png', Buffer.from('<html>'));
  const body = [
    `The button is odd: ![the *odd* button](${addAttachment('image/png', png)})`,
    `\`![in code](${addAttachment('image/jpeg', png)})\``,
    `![no image](${page}) ![elsewhere](${elsewhere}/x.png)`,
  ].join('\n\n');
  const issue = await ada.opensIssue(body);
  await grace.says(issue, `![hers](${addAttachment('image/png', png)})`);
  await mia.says(
    issue,
    `It should be <img width="20" alt="like this" src="${addAttachment('image/gif', gif)}">`,
  );
  await ada.labels(issue);
  const pull = await ada.findsPullFor(issue);
  await pull.waitForPhase('awaiting_approval');

  const ref = await pull.head();
  const { data } = await ada.octokit.rest.repos.getContent({ ...at, path: 'src/0.txt', ref });
  const seen = 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
  expect(seen).toBe('image/png image/gif coxswain\n');
  expect(asked).toBe(0);

  const ledger = (await pull.ledger()).commits.at(-1)?.sha ?? '';
  const path = 'iterations/0/1/implement/prompt.md';
  const { data: file } = await ada.octokit.rest.repos.getContent({ ...at, path, ref: ledger });
  const prompt = 'content' in file ? Buffer.from(file.content, 'base64').toString() : '';
  expect(/### Images\n[\s\S]*?(?=\n### )/.exec(prompt)?.[0]).toMatchInlineSnapshot(`
    "### Images
    If you can see images: these come with this prompt, in this order. What is written in them is part of what their authors say.

    1. by @ada: the *odd* button
    2. by @mia: like this

    Left out: 1 that could not be read, or that come after the first ones.
    "
  `);
});
