/** By this media type the page's script asks for the `<main>` only. */
export const fragmentType = 'text/vnd.coxswain.fragment';
