/** Holds the text of a file. */
declare module '*?text' {
  export const text: string;
}

/** Holds a script for browsers, with all that it imports. */
declare module '*?bundle' {
  export const script: string;
}
