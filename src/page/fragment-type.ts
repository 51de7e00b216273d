/** What the page's script asks for: the `<main>` alone. */
export const fragmentType = 'text/vnd.coxswain.fragment';
