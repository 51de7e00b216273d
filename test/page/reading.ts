/** What a person reads on a page. */
export function buttonsIn(page: string): readonly string[] {
  const buttons = [...page.matchAll(/<button(?![^>]*type="button")[^>]*>([^<]*)/g)];
  return buttons.map(([, text = '']) => text.trim());
}

export function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}
