import type { Figure } from './measure/figure.ts';

/** The figures as a table: one line each, followed by its further numbers. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, unit, ours, floor, ratio, aim }) => [
    what,
    amount(ours, unit),
    amount(floor, unit),
    ratio.toFixed(2),
    aim ?? '',
  ]);
  const all = [['', 'ours', 'floor', 'ratio', 'aim'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) =>
    row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '),
  );
  return lines.flatMap((line, index) => [line.trimEnd(), ...furtherNumbers(figures[index - 1])]).join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

function furtherNumbers(figure: Figure | undefined): readonly string[] {
  if (figure?.also === undefined) return [];
  const parts = Object.entries(figure.also).map(([name, value]) => `${name} ${short(value)}`);
  return [`    ${parts.join(', ')}`];
}

function amount(value: number, unit: string): string {
  return `${short(value)} ${unit}`.trimEnd();
}

/** Three significant digits: one machine cannot measure more precisely. */
function short(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
