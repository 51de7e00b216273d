/** Posted on a run when something could not be recorded because of the machine: `why` is a part of a sentence. */
export function cannotWriteText(why: string): string {
  return (
    `Coxswain cannot write to its disk right now: ${why}. Nothing is lost: what was said here stays ` +
    'where it is, and Coxswain keeps trying until its operator has fixed the problem.'
  );
}
