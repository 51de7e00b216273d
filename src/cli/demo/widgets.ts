/** The repository of the demo: a small library with a bug, its tests, and an agent's script. */

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers:
  - { name: test, run: node --test, timeout: 2m }
  - { name: lint, run: node tools/lint.mjs, timeout: 1m }
`;

const readme = `# widgets

Counts widgets and what they cost.
`;

const totalWithBug = `/** What all widgets cost together. */
export function total(widgets) {
  return widgets.map(({ price, quantity }) => price * quantity).reduce((sum, cost) => sum + cost);
}
`;

const totalTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/total.js';

test('adds up what each widget costs', () => {
  assert.equal(total([{ price: 2, quantity: 3 }, { price: 5, quantity: 1 }]), 11);
});
`;

const lint = `// Every exported function says what it is for.
import { readdirSync, readFileSync } from 'node:fs';

let wrong = 0;
for (const name of readdirSync('src')) {
  const lines = readFileSync(\`src/\${name}\`, 'utf8').split('\\n');
  lines.forEach((line, index) => {
    if (!line.startsWith('export function') || lines[index - 1]?.endsWith('*/')) return;
    wrong += 1;
    console.log(\`src/\${name}:\${index + 1}:1: an exported function needs a comment that says what it is for\`);
  });
}
process.exitCode = wrong === 0 ? 0 : 1;
`;

const discountTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discounted } from '../src/discount.js';

test('takes ten percent off from ten widgets on', () => {
  assert.equal(discounted(100, 9), 100);
  assert.equal(discounted(100, 10), 90);
});
`;

const discountWrong = `/** The price after the discount for many widgets. */
export function discounted(price, quantity) {
  return quantity > 10 ? price * 0.9 : price;
}
`;

const discountRight = `/** The price after the discount for many widgets. */
export function discounted(price, quantity) {
  return quantity >= 10 ? price * 0.9 : price;
}
`;

const totalRight = `/** What all widgets cost together; an empty list costs nothing. */
export function total(widgets) {
  return widgets.map(({ price, quantity }) => price * quantity).reduce((sum, cost) => sum + cost, 0);
}
`;

const emptyTest = `
test('an empty list costs nothing', () => {
  assert.equal(total([]), 0);
});
`;

/**
 * The script of the demo's agent: a first attempt that fails a test, a second that passes, then whatever the
 * person steers.
 */
const agentScript = `turns:
  - on: { iteration: 0, attempt: 1 }
    steps:
      - say: I add a discount for many widgets, with a test.
      - write: src/discount.js
        content: ${JSON.stringify(discountWrong)}
      - write: test/discount.test.js
        content: ${JSON.stringify(discountTest)}
      - wait: 1s
      - report: { summary: "Added a discount from ten widgets on, with a test.", status: done }
  - on: { iteration: 0 }
    steps:
      - say: The test says that ten widgets are already enough; the comparison was wrong.
      - write: src/discount.js
        content: ${JSON.stringify(discountRight)}
      - wait: 4s
      - report: { summary: "The discount now begins at exactly ten widgets.", status: done }
  - on: { iteration: 1 }
    steps:
      - say: An empty list has no first element to start from, so the sum starts at 0.
      - write: src/total.js
        content: ${JSON.stringify(totalRight)}
      - append: test/total.test.js
        content: ${JSON.stringify(emptyTest)}
      - wait: 1s
      - report: { summary: "total([]) is 0 now, with a test.", status: done }
  - steps:
      - say: The script of this demo has no more ideas, so I note what I was asked.
      - append: NOTES.md
        content: "Asked for more than the script of the demo knows.\\n"
      - report: { summary: "Noted the request; the demo's script ends here.", status: uncertain }
`;

export const widgets: Readonly<Record<string, string>> = {
  'README.md': readme,
  'package.json': `${JSON.stringify({ name: 'widgets', version: '1.0.0', type: 'module', private: true }, null, 2)}\n`,
  '.github/coxswain.yml': config,
  'src/total.js': totalWithBug,
  'test/total.test.js': totalTest,
  'tools/lint.mjs': lint,
  'tools/agent.yml': agentScript,
};

export const issue = {
  title: 'Ten widgets or more are 10 % cheaper',
  body: [
    'Whoever buys many widgets pays less: from ten widgets on, 10 % off.',
    '',
    '## Acceptance criteria',
    '- nine widgets cost the full price',
    '- ten widgets cost 10 % less',
  ].join('\n'),
};
