/** A program for Node.js, with all it imports, as CommonJS. */
declare module '*?program' {
  export const script: string;
}
