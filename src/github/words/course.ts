import { type CoursePoint, courseOf } from '../../steering/confidence/course.ts';
import type { State } from '../../steering/state.ts';
import { counted } from '../../text/amounts.ts';
import { said } from './format.ts';
import { scoreText } from './phrases.ts';
import { codeInCell } from './sanitize.ts';

const maxPoints = 20;

/** The confidence of each iteration and what changed; empty until two iterations have one. */
export function courseText(state: State): string {
  const course = courseOf(state);
  if (course.length < 2) return '';
  const rows = course.slice(-maxPoints).map((point) => {
    const why = courseReasons(point, codeInCell).join('; ');
    return `| ${point.iteration} | ${scoreText(point.score)} ${point.band} | ${changeText(point)} | ${why} |`;
  });
  return ['| iteration | confidence | change | what changed |', '|---|---|---|---|', ...rows].join('\n');
}

/** `+0.20`, `the same`; empty for the first, and between two formulas, whose scores cannot be compared. */
export function changeText({ change }: CoursePoint): string {
  if (change === null) return '';
  if (change === 0) return 'the same';
  return `${change > 0 ? '+' : '−'}${scoreText(Math.abs(change))}`;
}

/** What the verifiers and the attempts have to do with it. */
export function courseReasons(
  { broken, mended, moreAttempts }: CoursePoint,
  named: (name: string) => string = (name) => name,
): readonly string[] {
  const list = (names: readonly string[]) =>
    names
      .slice(0, 10)
      .map((name) => named(name))
      .join(', ');
  const attempts = counted(Math.abs(moreAttempts), 'attempt');
  return said([
    mended.length > 0 && `${list(mended)} passes now`,
    broken.length > 0 && `${list(broken)} fails now`,
    moreAttempts !== 0 && `${attempts} ${moreAttempts > 0 ? 'more' : 'fewer'}`,
  ]);
}
