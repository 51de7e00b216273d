import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../setup/processes.ts';
import type { AppFixture } from './app-fixture.ts';
import { type AppProcess, freePort, type Launched, startAppProcess, type Variables } from './app-process.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { eventually } from './eventually.ts';

/** The processes of one App, or of two that share the webhooks of one registration. */
export class Apps {
  readonly #home: string;
  readonly #port: number;
  readonly #each: readonly Variables[];
  readonly #launched: Launched[] = [];
  #running: (AppProcess | undefined)[] = [];
  #balancer: Balancer | undefined;
  #isEnding = false;
  #restarting: Promise<void> = Promise.resolve();

  /** Each has a port and folders of its own. */
  static async prepare({ variables }: Pick<AppFixture, 'variables'>, count: 1 | 2): Promise<Apps> {
    const { home = '', PORT = '' } = variables;
    const one = async (index: number): Promise<Variables> => {
      const [data, TMPDIR] = [join(home, `data-${index}`), join(home, `tmp-${index}`)];
      mkdirSync(TMPDIR);
      return {
        ...variables,
        PORT: count === 1 ? PORT : String(await freePort()),
        COXSWAIN_DATA: data,
        TMPDIR,
      };
    };
    return new Apps(
      { home, port: Number(PORT) },
      await Promise.all(Array.from({ length: count }, (_, i) => one(i))),
    );
  }

  private constructor({ home, port }: { home: string; port: number }, each: readonly Variables[]) {
    this.#home = home;
    this.#port = port;
    this.#each = each;
  }

  async start(): Promise<void> {
    if (this.#each.length > 1) {
      const urls = this.#each.map(({ PORT }) => `http://127.0.0.1:${PORT}`);
      this.#balancer = await startBalancer(this.#port, urls);
    }
    await Promise.all(this.#each.map((_, index) => this.#start(index)));
  }

  async #start(index: number): Promise<void> {
    const variables = this.#each[index];
    if (variables === undefined) throw new Error(`there is no App ${index}`);
    if (this.#isEnding) throw new Error('the Apps are not started any more');
    this.#running[index] = await startAppProcess(variables, (app) => {
      this.#launched.push(app);
      this.#last[index] = app;
    });
  }

  /** The newest process of each, which may not be listening yet. */
  readonly #last: Launched[] = [];

  /** Kills the first App with SIGKILL and starts it again; meanwhile something happens to its data folder. */
  killFirst(meanwhile: (data: string) => void = () => undefined): void {
    this.#last[0]?.kill();
    // A start that this kill has ended is not a failure.
    const before = this.#restarting.catch(() => undefined);
    this.#restarting = before.then(async () => {
      await this.#last[0]?.ended;
      meanwhile(this.#each[0]?.['COXSWAIN_DATA'] ?? '');
      await this.#start(0);
    });
    // Reported by `restarted`.
    this.#restarting.catch(() => undefined);
  }

  /** Sends a signal to the first App. */
  signalFirst(signal: NodeJS.Signals): void {
    this.#last[0]?.kill(signal);
  }

  /** Starts those again that refused to start, as whatever supervises a service does. */
  async startEnded(): Promise<void> {
    await this.#restarting;
    await Promise.all(this.#last.map((app, index) => (app.hasEnded() ? this.#start(index) : undefined)));
  }

  /** Waits until nothing is being started any more. A start that a further kill has ended is not a failure. */
  async restarted(): Promise<void> {
    const restarting = this.#restarting;
    try {
      await restarting;
    } catch (fault) {
      if (this.#restarting === restarting) throw fault;
    }
    if (this.#restarting !== restarting) await this.restarted();
  }

  /** Waits until each has swept twice since the time, ISO 8601. */
  async sweptSince(now: () => Date): Promise<void> {
    for (const which of ['first', 'second']) {
      const since = now().toISOString();
      for (const app of this.#running) {
        await eventually(`the ${which} sweep after the end`, async () => {
          const response = await fetch(`${app?.url}/healthz`).catch(() => undefined);
          // Our own response, see `src/app/app.ts`.
          const health = (await response?.json()) as { last_sweep: string | null } | undefined;
          return (health?.last_sweep ?? '') > since || undefined;
        });
      }
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((app) => app?.stop()));
  }

  hasEnded(): boolean {
    return this.#last.every((app) => app.hasEnded());
  }

  /** Processes that survived the Apps, and temporary files that they forgot. */
  left(): readonly string[] {
    const running = processesOf(this.#home).map(({ line }) => `process ${line}`);
    return [...running, ...this.#each.flatMap(({ TMPDIR = '' }) => readdirSync(TMPDIR))];
  }

  output(): string {
    return this.#launched.map((app) => app.output()).join('--- another process ---\n');
  }

  /** Also ends what is just being started again: the forge would wait for it. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#balancer?.close();
    for (const app of this.#launched) app.kill();
    await this.#restarting.catch(() => undefined);
    await Promise.all(this.#launched.map(({ ended }) => ended));
  }
}
