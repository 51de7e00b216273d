import { readdirSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { drive, expectNoKeys, until } from './driving.ts';
import { reals } from './real.ts';

describe.each(reals)('$choice.use', (real) => {
  test('edits and runs what it is allowed to, through our endpoint, in its sandbox', async () => {
    const line = 'echo RAN > ran.txt';
    const driven = await drive(real, { script: [...real.edit, real.shell(line), { text: 'All done.' }] });
    const outcome = await driven.done;
    expect(outcome).toMatchObject({ kind: 'completed', report: { status: 'done', summary: 'All done.' } });
    expect(driven.status()).toBe(' M hello.txt\n?? ran.txt\n');
    expect(driven.read('hello.txt')).toBe('bye\n');
    expect(driven.asked).toContainEqual(expect.objectContaining({ kind: 'execute', command: line }));
    const { tool_calls } = outcome.kind === 'completed' ? outcome.report : { tool_calls: [] };
    const ran = tool_calls.find(({ command }) => command === line);
    expect(ran?.outcome).toBe(real.tellsExitCodes ? 'ok' : 'unknown');
    expect(driven.spent()?.tokens).toBeGreaterThanOrEqual(driven.requests().length * 1050);
    expect(driven.blocked()).toEqual([]);
    expectNoKeys(driven);
  });

  test('does not do what it is refused, and goes on', async () => {
    const driven = await drive(real, {
      script: [real.shell('echo RAN > ran.txt'), { text: 'I did without.' }, { text: 'I did without.' }],
      decide: () => ({ allow: false, reason: 'nobody runs that here' }),
    });
    const outcome = await driven.done;
    expect(outcome).toMatchObject({ kind: 'completed', report: { summary: 'I did without.' } });
    expect(driven.status()).toBe('');
    const { tool_calls } = outcome.kind === 'completed' ? outcome.report : { tool_calls: [] };
    expect(tool_calls.filter(({ outcome: how }) => how === 'denied')).toHaveLength(1);
    expect(tool_calls.filter(({ outcome: how }) => how === 'ok')).toEqual([]);
  });

  test.runIf(real.choice.use === 'claude')('finds skills by itself', async () => {
    const driven = await drive(real, {
      files: {
        '.agents/skills/release/SKILL.md': '---\nname: release\ndescription: Tag it.\n---\nUse vX.\n',
      },
      choice: { skills: ['.agents/skills/release'] },
      script: [{ text: 'Done.' }],
    });
    expect((await driven.done).kind).toBe('completed');
    expect(JSON.stringify(driven.requests()[0]?.body)).toMatch(/release: Tag it\./);
  });

  test('says that a command failed, if it says how commands end', async () => {
    const script = [real.shell('exit 3'), { text: 'It failed.' }];
    const outcome = await (await drive(real, { script })).done;
    const { tool_calls } = outcome.kind === 'completed' ? outcome.report : { tool_calls: [] };
    expect(tool_calls.map(({ outcome: how }) => how)).toEqual([real.tellsExitCodes ? 'failed' : 'unknown']);
  });

  test('is told something while it works', async () => {
    const script = [
      real.shell('echo one > one.txt'),
      { text: 'Done.' },
      { text: 'Done.' },
      { text: 'Done.' },
    ];
    let held = false;
    const driven = await drive(real, {
      script,
      fault: ({ text }) => {
        const isSecond = text.includes('one.txt') && !held;
        held ||= isSecond;
        return isSecond ? 'slow' : undefined;
      },
    });
    await until(() => held);
    const told = driven.run.steer('Write it in French.');
    if (real.steers === 'injected') await until(() => driven.events.length > 0).then(driven.proceed);
    expect(await told).toBe(real.steers);
    driven.proceed();
    expect(await driven.done).toMatchObject({ kind: 'completed' });
    expect(driven.requests().at(-1)?.text).toContain('Write it in French.');
  });

  test('ends when it is cancelled, with everything it has started', async () => {
    const line = 'touch started && tail -f /dev/null';
    const driven = await drive(real, { script: [real.shell(line), { text: 'Done.' }] });
    await until(() => driven.read('started') !== undefined);
    expect(runningIn(driven.workspace)).not.toEqual([]);
    await driven.run.cancel();
    expect(await driven.done).toEqual({ kind: 'cancelled' });
    expect(runningIn(driven.workspace)).toEqual([]);
  });
});

/** The processes whose working directory is a folder, at whatever path they see it. */
function runningIn(folder: string): readonly string[] {
  const { dev, ino } = statSync(folder);
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      const cwd = statSync(`/proc/${id}/cwd`);
      return cwd.dev === dev && cwd.ino === ino;
    } catch {
      return false; // it has ended meanwhile
    }
  });
}
