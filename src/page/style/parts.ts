/** Badges, lists, forms, tables and comments. */
export const partsStyle = `
.badge { display: inline-flex; align-items: center; gap: 0.35em; padding: 0.05rem 0.6rem; border-radius: 99px;
  font-size: 0.82rem; line-height: 1.5; white-space: nowrap; background: var(--soft); color: var(--quiet);
  max-width: 100%; overflow: hidden; text-overflow: ellipsis; }
.badge b { font-variant-numeric: tabular-nums; }
.phase { font-weight: 600; }
.phase::before { content: ''; width: 0.5em; height: 0.5em; border-radius: 50%; background: currentColor; }
.good, .tone-good, .band-high { background: var(--good-soft); color: var(--good); }
.waits, .tone-waits, .band-medium { background: var(--waits-soft); color: var(--waits); }
.moves, .tone-moves { background: var(--moves-soft); color: var(--moves); }
.broken, .tone-broken, .band-low, .band-zero { background: var(--broken-soft); color: var(--broken); }
.verdict { display: inline-block; padding: 0 0.5rem; border-radius: 5px; font-size: 0.85rem;
  font-weight: 600; }
meter { width: min(7rem, 22vw); height: 0.8rem; vertical-align: middle; }
.score { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; }
.rows, .plain, .verifiers, .gates { list-style: none; padding: 0; }
.row { display: flex; justify-content: space-between; align-items: center; gap: 0.5rem 1.5rem;
  flex-wrap: wrap;
  padding: 0.75rem 0; border-top: 1px solid var(--line); }
.row:first-child { border-top: 0; padding-top: 0; }
.row:last-child { padding-bottom: 0; }
.row p { margin: 0; }
.what { min-width: 0; flex: 1 1 20rem; }
.how { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.75rem; }
.how:has(details[open]) { flex: 1 1 24rem; }
.how details[open] { flex: 1 1 100%; }
.title { font-weight: 600; color: var(--ink); text-decoration: none; }
.title:hover { text-decoration: underline; }
.plain li, .gates li { padding: 0.35rem 0; }
.verifiers li { border-top: 1px solid var(--line); padding: 0.45rem 0; }
.verifiers li:first-child { border-top: 0; }
summary { cursor: pointer; }
.folded { padding: 0.6rem 0 0.2rem; }
.pairs, .commands { margin: 0; }
.pairs > div { display: flex; justify-content: space-between; gap: 1rem; padding: 0.28rem 0;
  font-size: 0.92rem; }
.pairs dt { color: var(--quiet); white-space: nowrap; }
.pairs dd { margin: 0; text-align: right; min-width: 0; }
.commands > div { padding: 0.45rem 0; border-top: 1px solid var(--line); }
.commands dt { display: flex; justify-content: space-between; gap: 0.75rem; align-items: baseline; }
.commands dd { margin: 0.15rem 0 0; font-size: 0.9rem; }
.later { opacity: 0.75; }
form { margin: 0; }
label { display: block; font-size: 0.9rem; font-weight: 600; margin-bottom: 0.35rem; }
textarea { width: 100%; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line);
  border-radius: 8px; padding: 0.55rem 0.7rem; resize: vertical; display: block; margin-bottom: 0.6rem; }
button { font: inherit; font-size: 0.92rem; font-weight: 600; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; padding: 0.4rem 0.95rem; cursor: pointer; }
button:hover { border-color: var(--quiet); }
button.first { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); }
button.first:hover { filter: brightness(1.1); }
button.stop { color: var(--broken); border-color: var(--broken); }
button.small { padding: 0 0.55rem; font-size: 0.8rem; font-weight: 500; }
button[aria-busy='true'] { opacity: 0.55; cursor: progress; }
.buttons, .actions { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
.actions { margin-bottom: 0.7rem; }
.composer { margin: 0.8rem 0 0.7rem; }
#say > form:not(.composer) { margin-bottom: 0.8rem; }
#say details { border-top: 1px solid var(--line); padding: 0.5rem 0; font-size: 0.95rem; }
#say .composer { border-top: 1px solid var(--line); padding-top: 0.9rem; }
.how summary { font-size: 0.92rem; color: var(--quiet); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; overflow-wrap: normal; }
caption { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.75rem 0.5rem 0;
  border-top: 1px solid var(--line);
  font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-top: 0; color: var(--quiet); font-weight: 500; font-size: 0.85rem; white-space: nowrap; }
tbody th { font-weight: 600; }
.value, .when { white-space: nowrap; }
.evidence { min-width: 11rem; }
.prompt { min-width: 14rem; max-width: 34rem; overflow-wrap: break-word; }
.prompt p { margin: 0 0 0.25rem; }
.as-written { white-space: pre-wrap; }
.comment { border: 1px solid var(--line); border-radius: 8px; margin-bottom: 0.8rem; overflow: hidden; }
.comment > header { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; padding: 0.4rem 0.9rem;
  background: var(--soft); font-size: 0.92rem; }
.comment > header a { color: inherit; }
.comment.command { border-left: 4px solid var(--accent); }
.prose { padding: 0.8rem 0.9rem; overflow-x: auto; }
.card > .prose { padding: 0; }
.prose > :last-child { margin-bottom: 0; }
.prose h1, .prose h2, .prose h3 { font-size: 1rem; margin: 0.9rem 0 0.4rem; }
.prose > :first-child { margin-top: 0; }
.prose blockquote { margin: 0 0 0.6rem; padding-left: 0.9rem; border-left: 3px solid var(--line);
  color: var(--quiet); }
.prose li:has(> input) { list-style: none; margin-left: -1.4rem; }
.prose table { width: auto; }
.prose th, .prose td { padding: 0.3rem 0.75rem; border: 1px solid var(--line); }
.prose code { background: var(--soft); padding: 0.1em 0.3em; border-radius: 4px; }
.prose pre code { background: none; padding: 0; }
`;
