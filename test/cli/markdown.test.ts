import { expect, test } from 'vitest';
import { forTerminal } from '../../src/cli/terminal/command-output.ts';

const shown = forTerminal;

test('a terminal is shown the words, and not the marks', () => {
  expect(shown('**Risk** low: `rm` \\*now\\*, see [all changes](https://x.example/7/files).')).toBe(
    'Risk low: rm *now*, see all changes (https://x.example/7/files).',
  );
  expect(shown('<sub>small</sub> &lt;b&gt; &amp;lt; <!-- hidden -->')).toBe('small <b> &lt;');
  expect(shown('# Heading\n\n- one\n- `two|`')).toBe('Heading\n\n- one\n- two|');
});

test('tables and code keep their form', () => {
  expect(shown('| a | b |\n|---|---|\n| `x\\|y` | long **bold** |\n\nend')).toBe(
    'a    b\nx|y  long bold\n\nend',
  );
  expect(shown('```text\n**as it is** `x`\n```')).toBe('**as it is** `x`');
});

test('what others have written cannot tell a terminal anything', () => {
  expect(shown('a\u001b[31mred\u001b]0;title\u0007 \u202eb\u200b')).toBe('ared b');
  // A mark that our words made harmless stays text.
  expect(shown('[click]\u200b(https://evil.example)')).toBe('[click](https://evil.example)');
});
