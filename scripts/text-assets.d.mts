import type { Plugin } from 'rolldown';

export function textAssets(): Plugin;
