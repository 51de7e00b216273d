/** The media type with which the page's script requests only the `<main>`. */
export const fragmentType = 'text/vnd.coxswain.fragment';
