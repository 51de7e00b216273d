import { describe, expect, test } from 'vitest';
import { isLooseMode } from '../../src/gates/commands/command-rules.ts';
import { gatesOnCommand } from '../../src/gates/index.ts';

describe('modes', () => {
  test.each(
    '777 0777 00777 666 757 776 2 002 1777 4755 2755 6755 4000 o+w a+w a=rw ugo+w go+rwX o=w +s u+s g+s ug=rxs u=rw,o+w u-x+s'.split(
      ' ',
    ),
  )('%s is loose', (mode) => {
    expect(isLooseMode(mode)).toBe(true);
  });

  test.each(
    '755 0755 775 644 640 600 400 1755 700 0 +w +x +rwx u+w g+w ug+rw o-w a-w o+r a+x o=rx u=rwx,go=rx o+s a-s file 8 777777'.split(
      ' ',
    ),
  )('%s is not', (mode) => {
    expect(isLooseMode(mode)).toBe(false);
  });
});

test.each([
  'chmod -R 777 a',
  'chmod -Rv 777 a',
  'chmod --recursive 777 a',
  'chmod a 777; chmod -c o+w b',
  'install -m 777 a b',
  'install --mode=4755 a b',
  'mkdir -m a+w a',
  'mkdir --mode 777 a',
  'umask 0',
  'umask 000',
  'umask 0020',
  'umask u=rwx,g=rwx,o=rwx',
  'umask a=rwx',
  'setfacl -m o::rwx a',
  'setfacl -m u:ada:r,o:w a',
  'setfacl --modify=other::rw a',
  'setfacl -m d:o::rwx a',
  'usermod -aG docker ada',
  'gpasswd -a ada wheel',
  'adduser ada sudo',
  'icacls a /grant Everyone:F',
  'setcap cap_net_raw+ep a',
  'setenforce 0',
  'visudo',
  'python -c "import os; os.chmod(\'a\', 0o777)"',
  'node -e "fs.chmodSync(\'a\', 0o4755)"',
])('%s loosens permissions', (line) => {
  expect(rulesFor(line)).toEqual(['loosens-permissions']);
});

test.each([
  'chmod 755 a',
  'chmod -x a',
  'chmod -w a',
  'chmod --reference=b a',
  'chmod',
  'install -m 755 a b',
  'mkdir 777',
  'mkdir -m 755 a',
  'umask',
  'umask 022',
  'umask 0077',
  'umask -S',
  'umask u=rwx,g=rx,o=rx',
  'setfacl -m u:ada:rw a',
  'setfacl -m o::r-x a',
  'setfacl -x o a',
  'usermod -s /bin/bash ada',
  'icacls a /grant ada:F',
  'setcap -r a',
  'setenforce 1',
  'visudo -c',
  'python -c "import os; os.chmod(\'a\', 0o755)"',
])('%s does not', (line) => {
  expect(rulesFor(line)).toEqual([]);
});

function rulesFor(line: string): readonly string[] {
  return gatesOnCommand(line).map(({ rule }) => rule);
}
