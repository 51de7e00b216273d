import { changeText, courseReasons, scoreText } from '../../github/words/index.ts';
import { type CoursePoint, courseOf } from '../../steering/confidence/course.ts';
import type { State } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';

const height = 40;
const step = 36;
const margin = 6;

/** The course of the confidence as a small chart; false until two iterations have a score. */
export function courseChart(state: State): Html | false {
  const course = courseOf(state);
  if (course.length < 2) return false;
  const width = (course.length - 1) * step + 2 * margin;
  const lines = comparableParts(course).map(
    (part) => html`<polyline points="${part.map((each) => pointOf(each, course)).join(' ')}"></polyline>`,
  );
  const dots = course.map((each) => {
    const [x, y] = pointOf(each, course).split(',');
    return html`<circle cx="${x}" cy="${y}" r="3" class="band-${each.band}"></circle>`;
  });
  return html`<figure class="course"><svg role="img" aria-label="${spoken(course)}" viewBox="0 0 ${width} ${height}"
 width="${width}" height="${height}">${lines}${dots}</svg>
<figcaption class="muted">The confidence of each iteration; only scores of one formula are joined.</figcaption></figure>`;
}

/** What became of the confidence in one iteration: the score, its change, and what it comes from. */
export function courseCell(state: State, iteration: number): Html {
  const point = courseOf(state).find((each) => each.iteration === iteration);
  if (point === undefined) return html`–`;
  const change = [changeText(point), ...courseReasons(point)].filter((part) => part !== '').join('; ');
  return html`${scoreText(point.score)} ${point.band}${change !== '' && html`<br><span class="muted">${change}</span>`}`;
}

function spoken(course: readonly CoursePoint[]): string {
  const scores = course.map(
    ({ iteration, score, band }) => `iteration ${iteration} ${scoreText(score)} ${band}`,
  );
  return `Confidence: ${scores.join(', ')}`;
}

/** Neighbours by the same formula. */
function comparableParts(course: readonly CoursePoint[]): readonly (readonly CoursePoint[])[] {
  const parts: CoursePoint[][] = [];
  for (const point of course) {
    const last = parts.at(-1);
    if (last === undefined || point.change === null) parts.push([point]);
    else last.push(point);
  }
  return parts;
}

function pointOf(point: CoursePoint, course: readonly CoursePoint[]): string {
  const x = margin + course.indexOf(point) * step;
  const y = margin + (1 - point.score) * (height - 2 * margin);
  return `${x},${Math.round(y * 10) / 10}`;
}
