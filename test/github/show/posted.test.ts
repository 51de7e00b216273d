import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import type { State } from '../../../src/steering/state/state.ts';
import { presenterFixture } from './presenter-fixture.ts';
import { anInteraction, aState, aVerifier, awaiting, head, shownAt, steered, web } from './state.ts';

/** Nothing that others wrote links, mentions or reveals anything once it is posted. */

const fixture = presenterFixture();

const token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const password = 'correct horse battery';
const secrets = [
  token,
  `${token.slice(0, 9)}\u001b[31m${token.slice(9)}`,
  `${token.slice(0, 20)}\u200b${token.slice(20)}`,
  `${password.slice(0, 9)}\u202e${password.slice(9)}`,
].join(' and ');

const links = [
  ...[
    'https://evil.example',
    'http://evil.example/a',
    'www.evil.example',
    'ftp://evil.example',
    'me@evil.example',
  ],
  ...[
    'mailto:me@evil.example',
    'xmpp:me@evil.example/x',
    '<https://evil.example>',
    '[a](https://evil.example)',
  ],
  ...['https:\\//evil.example', 'www\\.evil.example', 'me\\@evil.example', 'https&colon;//evil.example'],
  ...[
    '@mia',
    '@acme/core',
    '#7',
    'GH-7',
    'acme/api#7',
    'acme/api@0123abc',
    'fixes https://github.com/a/b/issues/7',
  ],
].join(' ');

/** A run in which everything that others can write contains the text. */
function full(text: string): State {
  const red = aVerifier({
    success: false,
    exit_code: 1,
    stdout: `src/login.ts:3:1: ${text}\n${text}`,
    stderr: text,
    tests: {
      ...{ from: 'junit', total: 2, failed: 1, skipped: 0, unread: [text] },
      failures: [{ name: text, message: text, path: text, line: 3 }],
    },
  });
  const shown = shownAt(head, {
    verifiers: [red],
    gates: [{ rule: 'touches-secrets', severity: 'critical', evidence: text }],
    changes: {
      files: [{ path: text, previous_path: text, status: 'renamed', additions: 1, deletions: 1 }],
      summary: text,
    },
    commits: { count: 1, newest: [{ sha: head, subject: text }] },
  });
  return awaiting({
    task: { ...aState().task, title: text, description: text, acceptance_criteria: [text] },
    report: { summary: text, status: 'done', tool_calls: [] },
    shown,
    iteration: 1,
    iterations: [steered(1, text, { output: text, files_modified: [text] })],
    attempts: [
      {
        iteration: 1,
        attempt: 1,
        outcome: 'failed',
        summary: text,
        verifiers: [],
        failure: { kind: 'exit', message: text },
        head,
      } as unknown as State['attempts'][number],
    ],
  });
}

function interrupted(text: string): State {
  return {
    ...full(text),
    standing: {
      phase: 'awaiting_resolution',
      interaction: anInteraction({ id: 'interrupt:12:6', kind: 'interrupt' }),
      deadline: 'T',
      interrupt: { type: 'task_exceeded_retries', failure_reason: text },
    } as unknown as State['standing'],
  };
}

interface Posted {
  readonly markdown: readonly string[];
  /** Where GitHub shows every character. */
  readonly plain: readonly string[];
}

async function posted(text: string): Promise<Posted> {
  const presenter = fixture.createPresenter({
    secrets: [password],
    sources: {
      web,
      diff: async () => ({
        files: [{ path: text, status: 'added', additions: 1, deletions: 0, diff: `+${text}` }],
        summary: text,
        truncated: false,
      }),
      outputs: async () => ({ head: 'c0ffee0'.padEnd(40, '0'), verifiers: [aVerifier({ stdout: text })] }),
      progress: () => ({ progress: undefined, now: new Date() }),
    },
  });
  await presenter.present(full(text));
  const says = [
    { say: 'diff', path: text, full: false },
    { say: 'logs', verifier: null },
    { say: 'why' },
  ] as const;
  const problem = {
    say: 'refused',
    refusal: { why: 'misspoken', command: 'run', problem: text },
    possible: [],
  } as const;
  for (const [index, words] of [...says, problem, { say: 'status' } as const].entries())
    await presenter.send({ id: `x${index}`, do: 'reply', words, to: 'ada' }, full(text));
  await presenter.present({ ...interrupted(text), seq: 9 });
  const checks = fixture.github.checks.map(({ output }) => output);
  const bodies = fixture.github.comments.map(({ body }) => body);
  return {
    markdown: [
      fixture.github.pull.body ?? '',
      ...bodies,
      ...checks.flatMap(({ summary, text: details = '' }) => [summary, details]),
    ],
    plain: checks.flatMap((output) => [output.title, ...annotationsIn(output)]),
  };
}

function annotationsIn(output: object): readonly string[] {
  if (!('annotations' in output)) return [];
  // What our own code sends.
  return (output.annotations as { message: string }[]).map(({ message }) => message);
}

test('no secret is posted, wherever it stands and whatever splits it', async () => {
  const { markdown, plain } = await posted(secrets);
  expect(markdown.length).toBeGreaterThan(10);
  for (const text of [...markdown, ...plain]) {
    const seen = JSON.stringify(text).replaceAll(/\\u001b\[31m|[\u200b\u202e]/g, '');
    expect(seen).not.toContain(token.slice(9));
    expect(seen).not.toContain(password.slice(0, 9));
  }
  expect(markdown.join('\n')).toContain('[REDACTED]');
  expect(plain.join('\n')).toContain('[REDACTED]');
});

const acting = /@\w|#\d|GH-\d|:\/\/|www\./;

test('no text of others links, mentions or refers to anything', async () => {
  const { markdown, plain } = await posted(links);
  expect(markdown.join('\n')).toContain('evil.example');
  expect(plain.join('\n')).toContain('evil.example');
  for (const text of markdown) {
    const options = { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true };
    const html = micromark(text, options);
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !target.startsWith(web))).toEqual([]);
    const shown = html.replaceAll(/<code[\s\S]*?<\/code>|<!--[\s\S]*?-->|<[^>]*>/g, '');
    expect(shown.replaceAll('@ada', '').replace('Closes #11.', '')).not.toMatch(acting);
  }
  for (const text of plain) expect(text).not.toMatch(acting);
});
