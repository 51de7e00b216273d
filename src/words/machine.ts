/** Posted on a run when something could not be recorded because of the machine: `why` is a part of a sentence. */
export function cannotWriteText(why: string): string {
  return (
    `Coxswain cannot write on its machine at the moment: ${why}. Nothing is lost: what was said here stays ` +
    'where it is, and Coxswain tries again by itself until its operator has mended that.'
  );
}
