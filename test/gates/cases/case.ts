/** A command line, and the rules it hits in alphabetical order. */
export type Case = readonly [line: string, ...rules: string[]];

/** A path, the lines of its diff, and the rules that they hit; lines without a sign are around them. */
export type DiffCase = readonly [path: string, text: string, ...rules: readonly string[]];
