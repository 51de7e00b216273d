import type { Assertion } from './assertion.ts';
import { splitAt } from './calls.ts';
import { blankStrings } from './conditions.ts';
import { wordsOf } from './words.ts';

/** How often something was called, or that it was, follows from a list of all its calls or from "once with". */
export function countsCalls(other: Assertion, old: Assertion): boolean {
  if (!/call|receive|invoke|times/i.test(old.verb) || /with/i.test(old.verb) || old.negated) return false;
  const isList = /^\.(?:mock\.calls|calls|args|mock_calls|call_args_list)$/.test(
    other.subject.slice(old.subject.length),
  );
  const isSame = other.subject.startsWith(old.subject);
  return (
    isSame &&
    ((isList && /equal/i.test(other.verb)) ||
      (other.subject === old.subject && /once.*with/i.test(other.verb)))
  );
}

/** A list that is compared as a whole has as many elements as it is written with. */
export function countsElements(other: Assertion, old: Assertion): boolean {
  const count = /^\d+$/.test(old.expected) ? Number(old.expected) : undefined;
  const isSize =
    /length|size|count|len$/i.test(old.verb) || /(?:\.|\b)(?:length|size|count|len)\b/i.test(old.subject);
  const inner = /^(?:\[|vec!\[|(?:List\.of|listOf|Arrays\.asList|Set\.of)\()(.*)[\])]$/.exec(
    other.expected,
  )?.[1];
  if (count === undefined || !isSize || inner === undefined || other.negated) return false;
  if (splitAt({ text: inner, code: blankStrings(inner) }, ',').length !== count) return false;
  const names = wordsOf(other.subject);
  return [...wordsOf(old.subject)].some(
    (word) => names.has(word) && !/^(?:length|size|count|len|\d+)$/.test(word),
  );
}
