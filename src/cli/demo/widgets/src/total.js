/** The total cost of all widgets. */
export function total(widgets) {
  return widgets.map(({ price, quantity }) => price * quantity).reduce((sum, cost) => sum + cost);
}
