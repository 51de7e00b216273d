/** The page that lives with the App. */
export { openPage, type Page, type PageOptions } from './page.ts';
