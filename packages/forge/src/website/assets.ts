import { script as scriptText } from './client/main.ts?bundle';
import { type Asset, hashOf } from './response.ts';
import { text as badges } from './style/badges.css?text';
import { text as base } from './style/base.css?text';
import { text as code } from './style/code.css?text';
import { text as colors } from './style/colors.css?text';
import { text as iconText } from './style/icon.svg?text';
import { text as layout } from './style/layout.css?text';
import { text as merge } from './style/merge.css?text';
import { text as thread } from './style/thread.css?text';

const styles = [colors, base, layout, badges, thread, merge, code];
const style: Asset = { type: 'text/css; charset=utf-8', text: styles.join('\n') };
const script: Asset = { type: 'text/javascript; charset=utf-8', text: scriptText };
const icon: Asset = { type: 'image/svg+xml', text: iconText };

/** Named after their content, so that browsers never mix two versions. */
export const assetPaths = {
  style: `/-/${hashOf(style.text)}.css`,
  script: `/-/${hashOf(script.text)}.js`,
  icon: `/-/${hashOf(icon.text)}.svg`,
} as const;

/** Everything that pages load, by path. */
export const assets: ReadonlyMap<string, Asset> = new Map([
  [assetPaths.style, style],
  [assetPaths.script, script],
  [assetPaths.icon, icon],
]);
