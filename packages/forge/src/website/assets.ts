import { assetsBelow } from '../../../../src/html/response.ts';
import { script } from './client/main.ts?bundle';
import { text as badges } from './style/badges.css?text';
import { text as base } from './style/base.css?text';
import { text as code } from './style/code.css?text';
import { text as colors } from './style/colors.css?text';
import { text as icon } from './style/icon.svg?text';
import { text as layout } from './style/layout.css?text';
import { text as merge } from './style/merge.css?text';
import { text as thread } from './style/thread.css?text';

/** Everything that pages load, by path, and the paths of its parts. */
export const { assetPaths, assets } = assetsBelow('/-', {
  styles: [colors, base, layout, badges, thread, merge, code],
  script,
  icon,
});
