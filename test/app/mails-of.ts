import { expect } from 'vitest';
import { courses } from '../../bench/mail/courses.ts';
import { benchMail } from '../../bench/mail/mail.ts';

/** Plays courses of the benchmark; returns each mail with whom it names. None of them costs too many. */
export async function mailsOf(...names: readonly string[]): Promise<readonly string[]> {
  const mails: string[] = [];
  const chosen = courses.filter(({ name }) => names.includes(name));
  const figures = await benchMail((line) => mails.push(line), chosen);
  expect(figures).toHaveLength(names.length);
  for (const { what, ours, aim } of figures)
    if (aim !== undefined) expect(ours, what).toBeLessThanOrEqual(Number(aim.replace('<= ', '')));
  return mails;
}
