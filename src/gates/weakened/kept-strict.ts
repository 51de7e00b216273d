import { anyOf } from '../../text/pattern/any-of.ts';

/** Options by which a runner finds more, or lets less pass. */
const strict = anyOf([
  '^-(?:race|shuffle(?:=on)?|Werror|vet=all)$',
  String.raw`^--(?:strict(?:-\w+)?|doctest-modules|doctest-\w+|forbid-only|fail-on-\w+|error-on-\w+)$`,
  String.raw`^--(?:all-features|all-targets|workspace|random-order|randomize|detect\w+|max-warnings=0)$`,
  '^-Dwarnings$',
]);

/** An option that made a command strict and that neither it nor one beside it is given any more. */
export function lostStrictness(
  old: readonly string[],
  next: readonly string[],
  others: readonly string[],
): string | undefined {
  const left = new Set(next);
  return old.find(
    (word) => strict.test(word) && !left.has(word) && !others.some((text) => text.includes(word)),
  );
}
