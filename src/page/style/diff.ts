/** The diff: diff2html's own class names, in our colours. */
export const diffStyle = `
.bar { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 0.5rem;
  margin-bottom: 0.8rem; }
.bar p { margin: 0; }
.switch { display: inline-flex; border: 1px solid var(--line); border-radius: 8px; overflow: hidden;
  font-size: 0.88rem; }
.switch a { padding: 0.2rem 0.8rem; text-decoration: none; color: var(--quiet); }
.switch a[aria-current] { background: var(--soft); color: var(--ink); font-weight: 600; }
.plus { color: var(--good); } .minus { color: var(--broken); }
.file { border: 1px solid var(--line); border-radius: 8px; margin-bottom: 0.8rem; overflow: hidden; }
.file summary { padding: 0.45rem 0.9rem; background: var(--soft); font-size: 0.92rem; }
.file .folded { padding: 0; }
.file .folded > p { padding: 0.6rem 0.9rem; margin: 0; }
.sides { display: grid; grid-template-columns: minmax(30rem, 1fr) minmax(30rem, 1fr); }
.sides > table { display: block; overflow-x: auto; }
.sides > table + table { border-left: 1px solid var(--line); }
.d2h-diff-table { font: 0.8rem/1.5 var(--mono); border-collapse: collapse; overflow-wrap: normal; }
.d2h-diff-table td { padding: 0; border: 0; white-space: nowrap; height: 1.5em; }
.d2h-code-line, .d2h-code-side-line { white-space: nowrap; padding-right: 1rem; }
.d2h-code-line-ctn, .d2h-code-line-prefix { white-space: pre; }
.d2h-code-line-prefix { display: inline-block; width: 1.5em; text-align: center; color: var(--quiet);
  user-select: none; }
.d2h-code-linenumber, .d2h-code-side-linenumber { width: 1%; color: var(--quiet); user-select: none;
  text-align: right; }
.d2h-diff-table td.d2h-code-linenumber { padding: 0 0.4rem; }
.d2h-diff-table td.d2h-code-side-linenumber { padding: 0 0.6rem; min-width: 3em; }
.line-num1, .line-num2 { display: inline-block; width: 2.8em; }
.d2h-info { background: var(--soft); color: var(--quiet); }
.d2h-info .d2h-code-line, .d2h-info .d2h-code-side-line { padding-left: 0.5em; }
.d2h-ins { background: var(--ins); } .d2h-del { background: var(--del); }
.d2h-emptyplaceholder, .d2h-code-side-emptyplaceholder { background: var(--soft); }
.d2h-diff-table ins { background: var(--ins-strong); text-decoration: none; border-radius: 2px; }
.d2h-diff-table del { background: var(--del-strong); text-decoration: none; border-radius: 2px; }
`;
