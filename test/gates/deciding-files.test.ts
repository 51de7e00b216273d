import { expect, test } from 'vitest';
import { decidingFiles } from '../../src/gates/index.ts';

test.each<[string, readonly string[]]>([
  ['./scripts/check.sh --fast', ['scripts/check.sh']],
  ['ci/check', ['ci/check']],
  ['sh check', ['check']],
  ['bash -euo pipefail "ci/check all.sh"', ['ci/check all.sh']],
  ['CI=1 sh ci/check.sh && true', ['ci/check.sh']],
  ['env CI=1 timeout 60 bash ci/check.sh', ['ci/check.sh']],
  ['sh -c "python3 tools/lint.py src"', ['tools/lint.py']],
  ['. ci/env.sh', ['ci/env.sh']],
  ['npx tsx --tsconfig tsconfig.json scripts/check.ts a.ts', ['tsconfig.json', 'scripts/check.ts']],
  ['node --test-reporter=spec scripts/check.mjs', ['scripts/check.mjs']],
  ['python -m tools.check', ['tools/check.py', 'tools/check/__main__.py']],
  ['make -f ci/checks.mk test', ['ci/checks.mk']],
  ['jest --config=ci/jest.json', ['ci/jest.json']],
  ['cd ci && ./check.sh', ['check.sh', 'ci/check.sh']],
  ['if true; then sh a.sh; else sh b.sh; fi', ['a.sh', 'b.sh']],
  ['node --check src/sum.mjs', []],
  ['node -c src/sum.mjs && node checks/run.mjs -c', ['checks/run.mjs']],
  ['sh -n scripts/a.sh', []],
  ['bash -en scripts/a.sh && bash -e scripts/b.sh', ['scripts/b.sh']],
  ['ruby -wc tools/a.rb', []],
  ['perl -c tools/a.pl', []],
  ['php -l src/a.php', []],
  ['./tools/node --check src/a.js', ['tools/node']],
  ['npm test', []],
  ['test -f price.txt', []],
  ['[ -f price.txt ] && rm -f tmp/a.log && wc -c dist/a.js', []],
  ['cargo test --workspace', []],
  ['sh -c true', []],
  ['/usr/bin/make test', []],
])('%s is decided by %j', (line, files) => {
  expect(decidingFiles(line)).toEqual(files);
});

test('a line that nobody can read names nothing', () => {
  expect(decidingFiles('sh "')).toEqual([]);
  expect(decidingFiles(`sh ${'$('.repeat(5_000)}`)).toEqual([]);
});
