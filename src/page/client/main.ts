import { handleForms } from './forms.ts';
import { Refresher } from './refresher.ts';
import { showAges } from './relative-time.ts';

/** The page's script: keeps what is shown fresh, posts forms without leaving the page, and shows ages. */

const agesEveryMs = 10_000;

const refresher = new Refresher();
handleForms(refresher);
document.addEventListener('visibilitychange', () => refresher.refresh());
setInterval(showAges, agesEveryMs);
showAges();
