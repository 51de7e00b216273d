import { createHash } from 'node:crypto';
import { liveScript } from './client/script.ts';
import { baseStyle } from './style/base.ts';
import { diffStyle } from './style/diff.ts';
import { icon } from './style/icon.ts';
import { partsStyle } from './style/parts.ts';

export interface Asset {
  readonly type: string;
  readonly text: string;
}

const style: Asset = { type: 'text/css; charset=utf-8', text: baseStyle + partsStyle + diffStyle };
const script: Asset = { type: 'text/javascript; charset=utf-8', text: liveScript };
const picture: Asset = { type: 'image/svg+xml', text: icon };

/** Named after their content: a browser may keep them, and never mixes a new version with an old one. */
export const assetPaths = {
  style: `/page/${nameOf(style)}.css`,
  script: `/page/${nameOf(script)}.js`,
  icon: `/page/${nameOf(picture)}.svg`,
} as const;

/** Everything a page loads, by path. */
export const assets: ReadonlyMap<string, Asset> = new Map([
  [assetPaths.style, style],
  [assetPaths.script, script],
  [assetPaths.icon, picture],
]);

function nameOf({ text }: Asset): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
