import { showAges } from './content.ts';
import { handleForms, labelCommands } from './forms.ts';
import { LiveFeed } from './live-feed.ts';
import { Refresher } from './refresher.ts';

/**
 * The page's script: keeps what is shown fresh, follows an agent at work, posts forms without leaving the
 * page, and shows ages.
 */

const agesEveryMs = 1000;

const refresher = new Refresher();
handleForms(refresher);
labelCommands();
const feed = new LiveFeed();
document.addEventListener('visibilitychange', () => {
  feed.look();
  return refresher.refresh();
});
feed.look();
setInterval(showAges, agesEveryMs);
showAges();
