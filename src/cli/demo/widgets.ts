import { text as config } from './widgets/.github/coxswain.yml?text';
import { text as manifest } from './widgets/package.json?text';
import { text as readme } from './widgets/README.md?text';
import { text as receipt } from './widgets/src/receipt.js?text';
import { text as sum } from './widgets/src/sum.js?text';
import { text as total } from './widgets/src/total.js?text';
import { text as receiptTest } from './widgets/test/receipt.test.js?text';
import { text as sumTest } from './widgets/test/sum.test.js?text';
import { text as totalTest } from './widgets/test/total.test.js?text';
import { text as vendorTest } from './widgets/test/vendor.test.js?text';
import { text as agent } from './widgets/tools/agent.yml?text';
import { text as lint } from './widgets/tools/lint.mjs?text';
import { text as money } from './widgets/vendor/money.js?text';
import { text as released } from './widgets/vendor/released.json?text';

/** The repository of the demo, by path: a small program with its tests, and the script of the agent. */
export const widgets: Readonly<Record<string, string>> = {
  'README.md': readme,
  'package.json': manifest,
  '.github/coxswain.yml': config,
  'src/receipt.js': receipt,
  'src/sum.js': sum,
  'src/total.js': total,
  'test/receipt.test.js': receiptTest,
  'test/sum.test.js': sumTest,
  'test/total.test.js': totalTest,
  'test/vendor.test.js': vendorTest,
  'tools/agent.yml': agent,
  'tools/lint.mjs': lint,
  'vendor/money.js': money,
  'vendor/released.json': released,
};
