import { elementId, type Html, html } from '../../html/html.ts';
import type { FileChange } from '../../steering/shapes/attempt-result.ts';
import { counted } from '../../text/amounts.ts';

/** Draws the link of a file, or of whatever else leads to it, with this text. */
type FileLink<F> = (file: F, text: string) => Html;

interface Leaf<F> {
  readonly file: F;
  /** Its path below the folder. */
  readonly rest: string;
}

const maxFiles = 1_000;
/** Of all paths together: an agent may choose names of 4,000 characters. */
const maxCharacters = 200_000;
/** With more files than this, folders are closed. */
const maxOpen = 50;
/** Deeper folders are written as a part of the name. */
const maxDepth = 12;

/** The changed files as a tree, each with its counts. Folders in each other with no other files are one. */
export function fileTree<F extends FileChange>(files: readonly F[], link: FileLink<F>): Html {
  let left = maxCharacters;
  const fitting = files.slice(0, maxFiles).filter(({ path }) => {
    left -= path.length;
    return left >= 0;
  });
  const leaves = fitting.map((file) => ({ file, rest: file.path }));
  const more = files.length - leaves.length;
  return html`<div class="file-tree">${level(leaves, { above: '', depth: 0, isOpen: files.length <= maxOpen, link })}
${more > 0 && html`<p class="muted">There are ${counted(more, 'more file')}.</p>`}</div>`;
}

interface LevelOptions<F> {
  /** The path of the folder, with a slash at its end; empty for the root. */
  readonly above: string;
  readonly depth: number;
  readonly isOpen: boolean;
  readonly link: FileLink<F>;
}

function level<F extends FileChange>(leaves: readonly Leaf<F>[], options: LevelOptions<F>): Html {
  const groups = new Map<string, Leaf<F>[]>();
  for (const leaf of leaves) {
    const end = options.depth < maxDepth ? leaf.rest.indexOf('/') + 1 : 0;
    const name = end === 0 ? leaf.rest : leaf.rest.slice(0, end);
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(leaf);
  }
  const items = [...groups].map(([name, within]) => folder(name, within, options));
  return html`<ul>${items}</ul>`;
}

function folder<F extends FileChange>(
  name: string,
  within: readonly Leaf<F>[],
  options: LevelOptions<F>,
): Html {
  const [first] = within;
  if (first === undefined) return html``;
  if (first.rest === name)
    return html`<li>${options.link(first.file, name)} ${changeCounts(first.file)}</li>`;
  const shared = sharedFolder(within.map(({ rest }) => rest));
  const below = within.map(({ file, rest }) => ({ file, rest: rest.slice(shared.length) }));
  const above = options.above + shared;
  return html`<li><details id="${elementId(`tree-${above}`)}"${options.isOpen && html` open`}>
<summary>${shared} <span class="muted">${counted(within.length, 'file')}</span></summary>
${level(below, { ...options, above, depth: options.depth + 1 })}</details></li>`;
}

/** The longest folder that all of these paths are in, with a slash at its end. */
function sharedFolder([first = '', ...others]: readonly string[]): string {
  let length = first.lastIndexOf('/') + 1;
  for (const other of others)
    while (length > 0 && !other.startsWith(first.slice(0, length)))
      length = first.lastIndexOf('/', length - 2) + 1;
  return first.slice(0, length);
}

/** What changed in a file, such as `+3 −1`; how, if it is not only changed. */
export function changeCounts({ status, binary, additions, deletions }: FileChange): Html {
  const how = status !== 'modified' && html`<span class="muted">${status}</span> `;
  if (binary) return html`${how}<span class="muted">binary</span>`;
  return html`${how}<span class="plus">+${additions}</span> <span class="minus">−${deletions}</span>`;
}
