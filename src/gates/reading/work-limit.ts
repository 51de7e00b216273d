/**
 * What judging one change may cost, in characters that are read: a few seconds of a processor. It is
 * counted and not timed, so that a change is judged alike on every machine, at its attempt and when it is
 * finished.
 */
const maxWork = 8_000_000;

let left = Number.POSITIVE_INFINITY;

/** Nobody has judged the rest of a change. */
class TooMuchWork extends Error {
  override name = 'TooMuchWork';
}

/** Says that so many characters are read, again or for the first time. */
export function spend(characters: number): void {
  left -= characters;
  if (left < 0) throw new TooMuchWork(`more than ${maxWork} characters to read`);
}

/** So much text is searched in the time in which one character is read. */
const searched = 100;

/** Whether a text that may be long has a word in it, asked for many words. */
export function holds(text: string, word: string): boolean {
  spend(text.length / searched);
  return text.includes(word);
}

/** Whether the work was done within the bound. It waits for nothing: nothing else is judged meanwhile. */
export function isDone(work: () => void): boolean {
  left = maxWork;
  try {
    work();
    return true;
  } catch (fault) {
    if (fault instanceof TooMuchWork) return false;
    throw fault;
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** Answers about each thing once, however often it is asked: about a whole diff, for each of its lines. */
export function once<Thing extends object, Answer>(answer: (about: Thing) => Answer): typeof answer {
  const known = new WeakMap<Thing, { readonly answer: Answer }>();
  return (about) => {
    const found = known.get(about) ?? { answer: answer(about) };
    known.set(about, found);
    return found.answer;
  };
}
