/** A command line, and the rules it hits in alphabetical order. */
export type Case = readonly [line: string, ...rules: string[]];
