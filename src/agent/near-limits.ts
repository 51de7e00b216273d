import { type Limits, limits, type RaisableLimit, raisableLimits } from '../steering/limits.ts';

/** From this part of a limit on, people are told. */
const near = 0.8;

/** Which limits will soon be met, each in a sentence, by what the run or the attempt has used so far. */
export function nearLimits(
  used: Readonly<Record<RaisableLimit, number>>,
  configured: Limits,
): readonly string[] {
  return raisableLimits.flatMap((name) => {
    const most = configured[name];
    if (most === undefined || used[name] < most * near) return [];
    const { noun, of } = limits[name];
    const [now, end] = [used[name], most].map((amount) =>
      noun === null ? amount.toFixed(2) : amount.toLocaleString('en-US'),
    );
    const what = noun === null ? 'USD' : `${noun}s`;
    return [`${now} of ${end} ${what} of this ${of} are used (\`limits.${name}\`).`];
  });
}
