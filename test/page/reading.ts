/** What a person reads on a page: its buttons, but for the numbers of lines, which are buttons as well. */
export function buttonsIn(page: string): readonly string[] {
  const buttons = [...page.matchAll(/<button(?! name="on")(?![^>]*type="button")[^>]*>([^<]*)/g)];
  return buttons.map(([, text = '']) => text.trim());
}

export function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}
