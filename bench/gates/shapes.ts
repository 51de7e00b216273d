import type { FileDiff } from '../../src/steering/shapes/attempt-result.ts';

/** A change of 100,000 lines, or of as much text. */
export interface Shape {
  readonly name: string;
  readonly files: readonly FileDiff[];
}

const lines = 100_000;

/** Large changes as they occur: what is written by hand, what programs write, and tests that go. */
export function shapes(): readonly Shape[] {
  return [
    { name: 'one file of 100,000 added lines', files: [added('src/orders.ts', many(lines, code))] },
    { name: '1,000 files of 100 lines', files: thousandFiles() },
    { name: 'tests of which a third of the assertions go', files: fewerAssertions() },
    { name: 'JSON on one line', files: [added('data/rates.json', [minified()])] },
    { name: 'a lock file', files: [added('package-lock.json', many(lines, locked))] },
    { name: 'Markdown', files: [added('docs/guide.md', many(lines, prose))] },
  ];
}

function thousandFiles(): readonly FileDiff[] {
  const kinds = [
    { path: (index: number) => `src/part${index}/orders.ts`, line: code },
    { path: (index: number) => `lib/part${index}/orders.py`, line: python },
    { path: (index: number) => `test/part${index}.test.ts`, line: tested },
    { path: (index: number) => `config/part${index}.yml`, line: setting },
  ];
  return many(1_000, (index) => {
    const kind = kinds[index % kinds.length] ?? kinds[0];
    if (kind === undefined) throw new Error('there are no kinds of files');
    return added(
      kind.path(index),
      many(100, (line) => kind.line(index + line)),
    );
  });
}

/** Two hundred files, in which a third of the lines are on one side only. */
function fewerAssertions(): readonly FileDiff[] {
  return many(200, (file) => {
    const body = many(500, (index) => {
      const text = tested(file * 500 + index);
      return text.includes('expect(') && index % 3 > 0 ? `-${text}` : ` ${text}`;
    });
    const kept = body.filter((line) => line.startsWith(' ')).length;
    const diff = [`@@ -1,${body.length} +1,${kept} @@`, ...body].join('\n');
    return { path: `test/orders${file}.test.ts`, status: 'modified', diff, ...counts };
  });
}

const counts = { additions: 0, deletions: 0 };

function added(path: string, body: readonly string[]): FileDiff {
  const diff = `@@ -0,0 +1,${body.length} @@\n${body.map((line) => `+${line}`).join('\n')}\n`;
  return { path, status: 'added', diff, ...counts, additions: body.length };
}

function many<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The text of a cycle that belongs to an index, with that index in it. */
function cycle(texts: readonly string[]): (index: number) => string {
  return (index) => (texts[index % texts.length] ?? '').replaceAll('#', String(index));
}

const code = cycle([
  "import { total# } from './total#.ts';",
  '',
  '/** What an order costs, with tax and without what was given back. */',
  'export function price#(order: Order, { tax = 0.19, discount }: Options): number {',
  '  const token = order.tokens.find(({ id }) => id === order.id);',
  '  if (token === undefined) throw new Error(`no token for ` + order.id);',
  "  const key = 'orders.price.#';",
  '  return order.items.reduce((sum, { amount, count }) => sum + amount * count, 0) * (1 + tax); // in cents',
  '}',
  '',
  'export const limits# = { minutes: 10, password: readPassword(), retries: [1, 2, #] };',
  "await client.query('SELECT id, name FROM orders WHERE id = $1', [#]);",
]);

const python = cycle([
  'from orders import total_#',
  '',
  'def price_#(order, tax=0.19):',
  '    """What an order costs."""',
  '    if order.token is None:',
  "        raise ValueError(f'there is no token for order {order.id}')",
  '    return sum(item.amount * item.count for item in order.items) * (1 + tax)  # in cents',
  '',
]);

const tested = cycle([
  "test('an order of # items has its price', async () => {",
  '  const order = await place({ items: [1, 2, #], tax: 0.19 });',
  '  expect(order.price).toBe(#);',
  '  expect(order.items).toHaveLength(3);',
  "  expect(order.state).toEqual({ kind: 'placed', number: # });",
  "  await expect(price(order, { tax: -# })).rejects.toThrow('negative');",
  '});',
  '',
]);

const setting = cycle([
  'service-#:',
  '  image: registry.example.com/orders:#',
  '  replicas: 3 # as many as zones',
  '  environment:',
  '    - name: ORDERS_URL',
  '      value: "https://orders.example.com/v#"',
]);

const locked = cycle([
  '    "node_modules/package-#": {',
  '      "version": "4.#.0",',
  '      "resolved": "https://registry.npmjs.org/package-#/-/package-4.#.0.tgz",',
  '      "integrity": "sha512-q3Yk0mW1VhT9s8nXoPzR7dLfUeJcGaBi6H2tKvNxEyMwSbQ5#==",',
  '      "license": "MIT",',
  '      "engines": { "node": ">=20" }',
  '    },',
]);

const prose = cycle([
  '# Part #',
  '',
  'An order has a price, and a price has a currency, which is that of the customer.',
  '- Run `npm run orders -- --number #` to place one.',
  '| # | total | in cents |',
]);

function minified(): string {
  const rate = cycle(['{"id":#,"name":"rate #","currency":"EUR","rate":1.#,"valid":true,"tags":["a","b"]}']);
  return `[${many(lines / 2, rate).join(',')}]`;
}
