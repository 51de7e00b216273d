import type { PolicyGround } from '../../steering/proceeding/proceeding.ts';
import { proceedingReasons } from '../../steering/proceeding/proceeding-reasons.ts';
import { type AskingHuman, isAskingHuman } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { setDurationText } from '../../text/amounts.ts';
import { type Format, markdown, timeText } from './format.ts';
import { code, plain } from './sanitize.ts';

/** Why a run waits for people where the configuration could do without, and when it no longer does. */
export function proceedsText(state: State): string {
  const { standing, settings } = state;
  if (standing.phase !== 'awaiting_approval' || settings.approval.mode === 'manual') return '';
  const { proceeds } = standing;
  if (proceeds !== undefined)
    return `**${thenTexts[proceeds.on_timeout]} at ${timeText(proceeds.at)}**, unless somebody says something before.`;
  const why = peopleReasons(state);
  if (why.length === 0) return '';
  return `People decide although the mode is ${code(settings.approval.mode)}: ${plain(why.join('; '), 1000)}.`;
}

/** Why people decide: what has happened since the decision, or else what it rests on. */
export function peopleReasons({ left_to_people: left, head, shown }: State): readonly string[] {
  if (left?.head_sha === head) return proceedingReasons({ how: 'wait', because: [left.because] });
  return shown?.proceeding === undefined ? [] : proceedingReasons(shown.proceeding, shown.gates);
}

const thenTexts = {
  proceed: 'It goes on without an approval',
  hold: 'It stops counting and waits for people',
  deny: 'It is rejected',
};

/** `auto: the confidence is high`. */
export function ruleText(
  { settings: { approval } }: State,
  { rule, at }: PolicyGround,
  { name }: Format = markdown,
): string {
  const texts = {
    auto: 'the confidence is high',
    confidence_threshold: `the confidence reaches the threshold of ${approval.threshold}`,
    auto_proceed_after: `nobody said anything within ${setDurationText(approval.auto_proceed_after_s ?? 600)}`,
  };
  return `${name(rule)}, ${texts[rule]}, at ${timeText(at)}`;
}

/** How much of the time to answer has passed; empty until people are reminded. */
export function remindedText({ standing }: State): string {
  if (!isAskingHuman(standing) || standing.reminded === undefined) return '';
  return reminder(standing, standing.reminded.percent);
}

function reminder({ deadline }: AskingHuman, percent: number): string {
  return (
    `**Reminder**: ${percent} % of the time to answer have passed. Without an answer until ${timeText(deadline)} ` +
    `the run times out and stays as it is; ${code('/resume')} continues it then.`
  );
}
