import { installSandbox, probeSandbox, type Sandbox } from '../agent/index.ts';
import type { Log } from '../github/octokit/connect.ts';
import type { Settings } from '../steering/settings.ts';
import type { ActionInputs } from './inputs.ts';

/** The sandbox of a job, looked for only when work begins: most jobs only record a command and render. */
export class JobSandbox {
  readonly #inputs: Pick<ActionInputs, 'readable' | 'hostedLinux'>;
  readonly #log: Log;
  /** Once it works, or could not be installed, that stays so. */
  #found: Promise<Sandbox> | undefined;
  #told: string | null = null;
  #toldUnbounded = false;

  constructor(inputs: Pick<ActionInputs, 'readable' | 'hostedLinux'>, log: Log) {
    this.#inputs = inputs;
    this.#log = log;
  }

  /** The sandbox for work under these settings. The log says once that there is none, or what is not held. */
  async under({ sandbox: mode }: Settings): Promise<Sandbox> {
    const sandbox = mode === 'off' ? await probeSandbox('off') : await this.#find();
    const { note, unbounded } = sandbox;
    if (unbounded !== null && !this.#toldUnbounded) this.#log.info(unbounded);
    this.#toldUnbounded ||= unbounded !== null;
    // A required sandbox that is missing fails the job: only an owner can put that right.
    if (note !== null && note !== this.#told) this.#log[mode === 'required' ? 'error' : 'warn'](note);
    this.#told = note;
    return sandbox;
  }

  #find(): Promise<Sandbox> {
    const { readable, hostedLinux } = this.#inputs;
    const machine = { readable };
    this.#found ??= hostedLinux
      ? installSandbox(machine, this.#log.info)
      : probeSandbox('preferred', machine);
    return this.#found;
  }
}
