import { describe, expect, test } from 'vitest';
import { choicesIn } from '../../src/action/choices.ts';

function setupOf(setup: string): unknown {
  return choicesIn((name) => (name === 'setup' ? setup : ''))['setup'];
}

describe('setup is a command a line', () => {
  test.each([
    ['', undefined],
    ['npm ci', ['npm ci']],
    ['npm ci\n\n  npm run build\n', ['npm ci', 'npm run build']],
    ['[ -f package.json ] && npm ci', ['[ -f package.json ] && npm ci']],
    ['[ -f package.json ]', ['[ -f package.json ]']],
    ['[[ -f package.json ]]', ['[[ -f package.json ]]']],
    ['npm ci\n[ -d web ] && npm ci --prefix web', ['npm ci', '[ -d web ] && npm ci --prefix web']],
    ['[ -d a ] && npm ci\n[ -d b ]', ['[ -d a ] && npm ci', '[ -d b ]']],
    ['[ ! -e x ] || rm x\n- npm ci', ['[ ! -e x ] || rm x', '- npm ci']],
  ])('%j', (text, commands) => {
    expect(setupOf(text)).toEqual(commands);
  });
});

describe('setup is a list in YAML', () => {
  test.each([
    ['- npm ci', ['npm ci']],
    ['\n  - npm ci\n  - npm run build\n', ['npm ci', 'npm run build']],
    ['# first\n- npm ci', ['npm ci']],
    ['- |-\n  npm ci\n  npm run build', ['npm ci\nnpm run build']],
    ["- '[ -f package.json ] && npm ci'", ['[ -f package.json ] && npm ci']],
    ['[npm ci, npm run build]', ['npm ci', 'npm run build']],
    ["['npm ci']", ['npm ci']],
  ])('%j', (text, commands) => {
    expect(setupOf(text)).toEqual(commands);
  });

  test('and what is none says what was expected', () => {
    expect(() => setupOf('- [ -f a ] && npm ci')).toThrow(
      'input setup is "- [ -f a ] && npm ci": expected one command per line, or a list in YAML, as in `- npm ci`',
    );
  });
});
