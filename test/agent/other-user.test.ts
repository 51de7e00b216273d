import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { otherUser, saidToOtherUser, sandboxProgram } from './other-user.ts';

describe.skipIf(process.getuid?.() !== 0)(
  'for an App of another user than root',
  { tags: ['bubblewrap'] },
  () => {
    test('the sandbox has the same walls', async () => {
      const many =
        'for (let n = 0; n < 200; n++) spawn("sleep", ["9"]).on("error", () => undefined).pid && count++';
      const lines = [
        'id -u; touch here /tmp/here "$HOME/here" && echo writable',
        'touch /usr/here /here /etc/here && echo ESCAPED; unshare --user true && echo ESCAPED; echo held',
        'grep -E "^Cap(Eff|Bnd|Amb)|^NoNewPrivs" /proc/self/status | cut -f2',
        `node -e 'const { spawn } = require("child_process"); let count = 0; ${many}; console.log(count); process.exit()'`,
        'curl --silent https://10.0.0.1/; echo asked',
        'readlink /proc/self/ns/user /proc/self/ns/net /proc/self/ns/pid /proc/self/ns/ipc /proc/self/ns/uts',
      ];
      const said = await saidToOtherUser(lines);
      const own = execFileSync(
        'readlink',
        ['user', 'net', 'pid', 'ipc', 'uts'].map((name) => `/proc/self/ns/${name}`),
      );
      expect(said).toMatch(new RegExp(`^${otherUser}\nwritable\n`));
      expect(said).toContain('held');
      expect(said).not.toContain('ESCAPED');
      expect(said).toContain(`${'0'.repeat(16)}\n`.repeat(3).concat('1\n'));
      expect(Number(/^\d\d$/m.exec(said)?.[0])).toBeLessThan(80);
      for (const namespace of own.toString().trim().split('\n')) expect(said).not.toContain(namespace);
      expect(said).toMatch(/asked[\s\S]*10\.0\.0\.1 wanted by .*curl/);
      expect(said.match(/^(?:user|net|pid|ipc|uts):/gm)).toHaveLength(5);
    });

    test('there is no sandbox where only root exists, whose processes nothing bounds', async () => {
      // A namespace of users with root alone, who can neither become another user nor use a cgroup.
      const alone = ['--map-root-user', '--mount', 'sh', '-c'];
      const hidden = 'mount -t tmpfs none /sys/fs/cgroup && mount -t tmpfs none /run && exec "$0" "$@"';
      const program = [process.execPath, '--input-type=module', '-', 'echo started'];
      const { stdout, stderr } = spawnSync('unshare', [...alone, hidden, ...program], {
        input: await sandboxProgram(),
        encoding: 'utf8',
      });
      expect(stdout).not.toContain('started');
      expect(stderr).toMatch(/the sandbox is required, but its programs would run as root/);
    });
  },
);
