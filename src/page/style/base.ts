/** Colours, type and the frame of every page. */
export const baseStyle = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f2; --card: #ffffff; --ink: #1d2430; --quiet: #5b6472; --line: #dcdad3; --soft: #efeee9;
  --accent: #0b5c8a; --accent-ink: #ffffff; --focus: #0b5c8a;
  --good: #1a6b3c; --good-soft: #e0f1e6; --waits: #85520a; --waits-soft: #faecd2;
  --moves: #1d5a99; --moves-soft: #e0ecf8; --broken: #a82a2a; --broken-soft: #fae3e1;
  --ins: #e3f5e7; --ins-strong: #b7e4c3; --del: #fcebe9; --del-strong: #f6c6c1;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --card: #1a1f27; --ink: #e4e7ec; --quiet: #9aa4b2; --line: #2d3440; --soft: #222832;
    --accent: #7cc4ee; --accent-ink: #0c1a24; --focus: #7cc4ee;
    --good: #7fd6a0; --good-soft: #16352383; --waits: #f0c36d; --waits-soft: #3d2f1283;
    --moves: #8fc2f2; --moves-soft: #1a314a83; --broken: #f29a94; --broken-soft: #47201f83;
    --ins: #14301f; --ins-strong: #1f5a35; --del: #3a1c1c; --del-strong: #6e2a2a;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 var(--sans);
  overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 0.75rem; background: var(--card); padding: 0.25rem 0.75rem; z-index: 2; }
.top { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding: 0.75rem 1.5rem;
  border-bottom: 1px solid var(--line); background: var(--card); }
.top p { margin: 0; color: var(--quiet); font-size: 0.9rem; }
.mark { display: flex; align-items: center; gap: 0.55rem; color: var(--ink); font-weight: 650;
  letter-spacing: -0.01em; text-decoration: none; }
main { max-width: 84rem; margin: 0 auto; padding: 1.5rem 1.5rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; letter-spacing: -0.015em; margin: 0 0 1rem; text-wrap: balance; }
h2 { font-size: 1rem; letter-spacing: -0.005em; margin: 0 0 0.85rem; }
h3 { font-size: 0.9rem; margin: 1rem 0 0.4rem; }
p { margin: 0 0 0.6rem; }
ul, ol { margin: 0 0 0.6rem; padding-left: 1.4rem; }
code, pre { font-family: var(--mono); font-size: 0.86em; }
pre { overflow: auto; max-height: 28rem; margin: 0 0 0.6rem; padding: 0.75rem 0.9rem; border-radius: 6px;
  background: var(--soft); line-height: 1.45; overflow-wrap: normal; }
.number, .quiet { color: var(--quiet); }
.number { font-weight: 400; }
.quiet { font-size: 0.9rem; font-weight: 400; }
.missing { color: var(--quiet); font-style: italic; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem;
  margin-bottom: 1.1rem; }
.card > :last-child { margin-bottom: 0; }
.head { margin-bottom: 1.25rem; }
.head h1 { margin: 0.15rem 0 0.6rem; }
.crumbs { font-size: 0.9rem; color: var(--quiet); margin: 0; }
.facts, .facts p { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; margin: 0; }
.facts { justify-content: space-between; }
.contents { display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; margin-top: 0.9rem; font-size: 0.92rem; }
p.facts { justify-content: flex-start; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 0 1.25rem; align-items: start; }
.side { grid-column: 2; grid-row: 1; position: sticky; top: 1rem; max-height: calc(100vh - 1rem);
  overflow-y: auto;
  margin: -3px; padding: 3px; }
.wide { grid-column: 1; grid-row: 1; min-width: 0; }
.notice { border-left: 4px solid var(--waits); background: var(--waits-soft); padding: 0.6rem 0.9rem;
  border-radius: 0 6px 6px 0; }
body > .notice { margin: 0; padding: 0.6rem 1.5rem; border-radius: 0; }
.problem { border-left: 4px solid var(--broken); background: var(--broken-soft); padding: 0.6rem 0.9rem; }
#said { position: fixed; left: 50%; bottom: 1.25rem; transform: translateX(-50%); margin: 0; z-index: 3;
  max-width: min(40rem, calc(100vw - 2rem)); border-radius: 8px; padding: 0.6rem 1rem;
  background: var(--ink); color: var(--paper); }
#said:empty { display: none; }
#said.problem { background: var(--broken); color: var(--card); border: 0; }
@media (max-width: 60rem) {
  .columns { display: flex; flex-direction: column; align-items: stretch; gap: 0; }
  .side { display: contents; }
  .wide { order: 1; }
  #facts, #checks { order: 2; }
  main { padding: 1rem 0.9rem 3rem; }
  .top { padding: 0.65rem 0.9rem; }
  .card { padding: 0.9rem; }
  h1 { font-size: 1.3rem; }
}
@media (prefers-reduced-motion: no-preference) { .phase.moves::before { animation: breathe 2s infinite; } }
@keyframes breathe { 50% { opacity: 0.25; } }
`;
