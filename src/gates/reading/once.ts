/** Answers about each thing once, however often it is asked: about a whole diff, for each of its lines. */
export function once<Thing extends object, Answer>(answer: (about: Thing) => Answer): typeof answer {
  const known = new WeakMap<Thing, { readonly answer: Answer }>();
  return (about) => {
    const found = known.get(about) ?? { answer: answer(about) };
    known.set(about, found);
    return found.answer;
  };
}
