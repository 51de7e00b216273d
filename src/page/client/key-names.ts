/** The keys that do something on the page, with what its list of keys says of each. */
export const keyTexts = {
  j: 'Next run of the inbox',
  k: 'Previous run of the inbox',
  a: 'Go to the button that approves or allows',
  s: 'Go to the text box, to steer',
  r: 'Reject: opens the form for it',
  '?': 'Show these keys',
} as const;

export type Key = keyof typeof keyTexts;
