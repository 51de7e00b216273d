/** The sum of prices in euros. */
export function sum(prices) {
  return prices.reduce((total, price) => total + price, 0);
}
