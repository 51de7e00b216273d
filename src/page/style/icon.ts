/** A ship's wheel. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none"
 stroke="#2b7fb0" stroke-width="2.4" stroke-linecap="round">
<circle cx="16" cy="16" r="9"/><circle cx="16" cy="16" r="2.6" fill="#2b7fb0"/>
<path d="M16 2v11M16 19v11M2 16h11M19 16h11"/>
<path d="M6.1 6.1l7.8 7.8M18.1 18.1l7.8 7.8M25.9 6.1l-7.8 7.8M13.9 18.1l-7.8 7.8"/>
</svg>
`;
