import { expect, test } from 'vitest';
import { spotIn } from '../../src/text/spots.ts';

test.each([
  ['  File "/repo/cart.py", line 12, in total', '/repo/cart.py', 12],
  ['(in test file test/cart.bats, line 3)', 'test/cart.bats', 3],
  ['file /repo/tests/test_cart.py, line 18', '/repo/tests/test_cart.py', 18],
  ['   at Shop.Tests.Cart() in /repo/tests/Cart.cs:line 9', '/repo/tests/Cart.cs', 9],
  ["thread 'cart' (27728) panicked at src/lib.rs:3:5:", 'src/lib.rs', 3],
  ['/repo/tests/CartTest.php:12', '/repo/tests/CartTest.php', 12],
  ["     # ./spec/cart_spec.rb:5:in 'block (2 levels) in <top (required)>'", './spec/cart_spec.rb', 5],
])('the place in %j is found', (text, path, line) => {
  expect(spotIn(text)).toMatchObject({ path, line });
});
