import { createHash } from 'node:crypto';
import { script as scriptText } from './client/main.ts?bundle';
import { text as atWork } from './style/at-work.css?text';
import { text as badges } from './style/badges.css?text';
import { text as base } from './style/base.css?text';
import { text as colors } from './style/colors.css?text';
import { text as comments } from './style/comments.css?text';
import { text as diff } from './style/diff.css?text';
import { text as forms } from './style/forms.css?text';
import { text as guide } from './style/guide.css?text';
import { text as iconText } from './style/icon.svg?text';
import { text as layout } from './style/layout.css?text';
import { text as lists } from './style/lists.css?text';

export interface Asset {
  readonly type: string;
  readonly text: string;
}

const styles = [colors, base, layout, badges, lists, forms, comments, diff, atWork, guide];
const style: Asset = { type: 'text/css; charset=utf-8', text: styles.join('\n') };
const script: Asset = { type: 'text/javascript; charset=utf-8', text: scriptText };
const icon: Asset = { type: 'image/svg+xml', text: iconText };

/** Named after their content, so that browsers can cache them and never mix two versions. */
export const assetPaths = {
  style: `/page/${hashOf(style)}.css`,
  script: `/page/${hashOf(script)}.js`,
  icon: `/page/${hashOf(icon)}.svg`,
} as const;

/** Everything a page loads, by path. */
export const assets: ReadonlyMap<string, Asset> = new Map([
  [assetPaths.style, style],
  [assetPaths.script, script],
  [assetPaths.icon, icon],
]);

function hashOf({ text }: Asset): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
