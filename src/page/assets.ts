import { assetsBelow } from '../html/response.ts';
import { script } from './client/main.ts?bundle';
import { text as atWork } from './style/at-work.css?text';
import { text as badges } from './style/badges.css?text';
import { text as base } from './style/base.css?text';
import { text as colors } from './style/colors.css?text';
import { text as comments } from './style/comments.css?text';
import { text as diff } from './style/diff.css?text';
import { text as forms } from './style/forms.css?text';
import { text as guide } from './style/guide.css?text';
import { text as icon } from './style/icon.svg?text';
import { text as layout } from './style/layout.css?text';
import { text as lists } from './style/lists.css?text';

/** Everything a page loads, by path, and the paths of its own parts. */
export const { assetPaths, assets } = assetsBelow('/page', {
  styles: [colors, base, layout, badges, lists, forms, comments, diff, atWork, guide],
  script,
  icon,
});
