/** The repository of the demo: a small library with a bug, its tests and the agent's script. */

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers:
  - { name: test, run: node --test, timeout: 2m }
  - { name: lint, run: node tools/lint.mjs, timeout: 1m }
`;

const readme = `# widgets

Counts widgets and what they cost.
`;

const totalWithBug = `/** The total cost of all widgets. */
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

const lint = `// Every exported function has a doc comment.
import { readdirSync, readFileSync } from 'node:fs';

let problems = 0;
for (const name of readdirSync('src')) {
  const lines = readFileSync(\`src/\${name}\`, 'utf8').split('\\n');
  lines.forEach((line, index) => {
    if (!line.startsWith('export function') || lines[index - 1]?.endsWith('*/')) return;
    problems += 1;
    console.log(\`src/\${name}:\${index + 1}:1: an exported function needs a doc comment\`);
  });
}
process.exitCode = problems === 0 ? 0 : 1;
`;

const discountTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discounted } from '../src/discount.js';

test('ten widgets or more are ten percent cheaper', () => {
  assert.equal(discounted(100, 9), 100);
  assert.equal(discounted(100, 10), 90);
});
`;

const discountWrong = `/** The price after the discount for large orders. */
export function discounted(price, quantity) {
  return quantity > 10 ? price * 0.9 : price;
}
`;

const discountRight = `/** The price after the discount for large orders. */
export function discounted(price, quantity) {
  return quantity >= 10 ? price * 0.9 : price;
}
`;

const totalRight = `/** The total cost of all widgets; an empty list costs nothing. */
export function total(widgets) {
  return widgets.map(({ price, quantity }) => price * quantity).reduce((sum, cost) => sum + cost, 0);
}
`;

const emptyTest = `
test('an empty list costs nothing', () => {
  assert.equal(total([]), 0);
});
`;

/** The demo's agent: its first attempt fails a test, its second passes, then it follows the steers. */
const agentScript = `turns:
  - on: { iteration: 0, attempt: 1 }
    steps:
      - say: I add a discount for large orders, with a test.
      - write: src/discount.js
        content: ${JSON.stringify(discountWrong)}
      - write: test/discount.test.js
        content: ${JSON.stringify(discountTest)}
      - wait: 1s
      - report: { summary: "Added a discount for ten or more widgets, with a test.", status: done }
  - on: { iteration: 0 }
    steps:
      - say: The test expects the discount at exactly ten widgets; the comparison was wrong.
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
      - say: This demo's script ends here, so I only note the request.
      - append: NOTES.md
        content: "A request that the script of the demo does not cover.\\n"
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
    'Customers who buy ten or more widgets should pay 10 % less.',
    '',
    '## Acceptance criteria',
    '- nine widgets cost the full price',
    '- ten widgets cost 10 % less',
  ].join('\n'),
};
