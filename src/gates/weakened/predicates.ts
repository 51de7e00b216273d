import { anyOf } from '../../text/pattern/any-of.ts';
import { strengths } from './assertion.ts';
import { type Call, callsIn, type Piece } from './calls.ts';

/** What a function of two arguments says when it is true. */
export interface Predicate {
  readonly verb: string;
  readonly strength: number;
  readonly given: readonly string[];
}

const known: readonly (readonly [RegExp, string, number])[] = [
  [
    anyOf([
      String.raw`^(?:reflect\.DeepEqual|(?:bytes|slices|maps|cmp|proto|types)\.Equal|(?:np|numpy|torch)\.(?:array_)?equal)$`,
      String.raw`^(?:assert\.ObjectsAreEqual|(?:Objects|Arrays)\.(?:deepE|e)quals|_?\.?isEqual|isDeepStrictEqual)$`,
    ]),
    '==',
    strengths.exact,
  ],
  [/^errors\.Is$/, 'is', strengths.exact],
  [/^errors\.As$/, 'as', strengths.kind],
  [/^strings\.(?:Contains|HasPrefix|HasSuffix)$/, 'contains', strengths.part],
];

/** `reflect.DeepEqual(a, b)`, `errors.Is(err, ErrGone)`: functions that compare, as operators do. */
export function predicateIn(piece: Piece): Predicate | undefined {
  const { calls, rest } = callsIn(piece);
  const [call] = calls;
  if (call === undefined || calls.length > 1 || rest !== '' || call.arguments.length < 2) return undefined;
  const found = known.find(([name]) => name.test(call.name));
  return found === undefined ? undefined : { verb: found[1], strength: found[2], given: call.arguments };
}

/** `cmp.Diff(want, got)`, which is empty if both are equal. */
export function differenceIn(text: string): Call | undefined {
  const { calls } = callsIn({ text, code: text });
  const [call] = calls;
  return calls.length === 1 && /^(?:cmp|pretty|deep|diff)\.(?:Diff|Compare|Equal)$/.test(call?.name ?? '')
    ? call
    : undefined;
}
