/** The text of a file. */
declare module '*?text' {
  export const text: string;
}

/** A script for browsers, with all it imports. */
declare module '*?bundle' {
  export const script: string;
}
