/** What models have cost, as far as it is known. */
export interface Amounts {
  readonly usd?: number;
  readonly tokens?: number;
}

/** `4.20 USD, 2,000,000 tokens`; empty if nothing is known. */
export function costText(cost: Amounts): string {
  return amountsOf(cost).join(', ');
}

/** In a sentence it is `4.20 USD and 2,000,000 tokens`. */
export function costPhrase(cost: Amounts): string {
  return amountsOf(cost).join(' and ');
}

/** `4.20 USD`; what costs something never reads as free. */
export function usdText(usd: number): string {
  return usd > 0 && usd < 0.01 ? 'under 0.01 USD' : `${usd.toFixed(2)} USD`;
}

/** `1 file`, `3,000 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `4.2 s`, `3 min 20 s`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A duration that somebody has set: `10 min`, not `10 min 0 s`. */
export function setDurationText(seconds: number): string {
  return durationText(seconds)
    .replace(/ 0 (?:s|min)$/, '')
    .replace(/\.0 s$/, ' s');
}

function amountsOf({ usd, tokens }: Amounts): readonly string[] {
  return [
    ...(usd === undefined ? [] : [usdText(usd)]),
    ...(tokens === undefined ? [] : [counted(tokens, 'token')]),
  ];
}
