import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AppFixture } from '../app/app-fixture.ts';
import type { Variables } from '../app/app-process.ts';
import type { Apps } from '../app/apps.ts';
import type { Upheaval } from './fault.ts';

/** Longer than GitHub waits for the answer to a webhook. */
const frozenMs = 12_000;
const hourMs = 3_600_000;

/** The clock of the App's machine, which can jump. */
export class JumpingClock {
  readonly #file: string;

  constructor({ variables: { home = '' } }: Pick<AppFixture, 'variables'>) {
    this.#file = join(home, 'clock');
    this.set(0);
  }

  set(offMs: number): void {
    writeFileSync(this.#file, String(offMs));
  }

  /** Makes an App read it. */
  get variables(): Variables {
    const script = new URL('jumping-clock.mjs', import.meta.url);
    script.searchParams.set('file', this.#file);
    return { NODE_OPTIONS: `--import ${script.href}` };
  }
}

/** Does it to the first App. */
export function upset(how: Upheaval, { apps, clock }: { apps: Apps; clock: JumpingClock }): void {
  switch (how) {
    case 'torn':
      apps.killFirst(tear);
      return;
    case 'frozen':
      apps.signalFirst('SIGSTOP');
      setTimeout(() => apps.signalFirst('SIGCONT'), frozenMs);
      return;
    case 'ahead':
    case 'behind':
      clock.set(how === 'ahead' ? hourMs : -hourMs);
      apps.signalFirst('SIGUSR2');
  }
}

/** Empties what Git wrote last without waiting for the disk: refs, configuration and where history ends. */
function tear(data: string): void {
  for (const path of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    const isRef = /(?:^|\/)refs\/.+/.test(path) && !path.includes('/logs/');
    const isOfGit = isRef || ['config', 'shallow', 'packed-refs'].includes(basename(path));
    const file = join(data, path);
    if (isOfGit && statSync(file).isFile()) truncateSync(file);
  }
}
