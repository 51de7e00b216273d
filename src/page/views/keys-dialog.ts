import { type Html, html } from '../../html/html.ts';
import { keyTexts } from '../client/key-names.ts';

/** Shows the keys, for whom they help; without scripts there are none. */
export const keysButton: Html = html`<button type="button" class="small by-script" data-dialog="keys"
 aria-haspopup="dialog">Keys</button>`;

/** The keys of the page, and the switch for people who would press them by chance. */
export const keysDialog: Html = html`<dialog id="keys" aria-labelledby="keys-title"><header><h2 id="keys-title">Keys</h2>
<button type="button" data-close>Close</button></header>
<dl class="keys">${Object.entries(keyTexts).map(([key, text]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}
<div><dt><kbd>Enter</kbd></dt><dd>Use what has the focus: open the run, press the button</dd></div></dl>
<p><input type="checkbox" id="keys-on" checked> <label class="inline" for="keys-on">Use single keys</label></p>
<p class="muted">They only lead somewhere, rest while you write, and are kept on or off in this browser.</p></dialog>`;
