/** At most so many characters; a text that was cut ends in an ellipsis. */
export function bounded(text: string, max = 2000): string {
  const characters = [...text.slice(0, 2 * max + 2)];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}
