import type { Heard, HeardOf } from '../github/listen/github-event.ts';
import { readPayload } from '../github/listen/payloads.ts';
import { ensureTriggerLabel } from '../github/show/trigger-label.ts';
import { takeIn } from '../runs/handle-event.ts';
import type { Lanes } from '../runs/live-runs.ts';
import type { Installations } from './installations.ts';

/** Takes deliveries in, from the door or from the sweep. Resolves when what concerns a run is remembered. */
export class Receiver {
  readonly #installations: Installations;
  readonly #lanes: Lanes;

  constructor(installations: Installations, lanes: Lanes) {
    this.#installations = installations;
    this.#lanes = lanes;
  }

  async receive({ name, payload }: { readonly name: string; readonly payload: unknown }): Promise<void> {
    for (const heard of readPayload(name, payload)) await this.#take(heard);
  }

  async #take(heard: Heard): Promise<void> {
    if (heard.installation_id === null) {
      throw new Error(`a ${heard.kind} came without an installation; is the webhook the App's own?`);
    }
    if (heard.kind === 'installed') return this.#welcome(heard, heard.installation_id);
    const repository = this.#installations.repository(heard.repository, heard.installation_id);
    await takeIn(heard, { repository, lanes: this.#lanes });
  }

  /** The label that starts runs is there before anybody looks for it. */
  async #welcome({ repositories }: HeardOf<'installed'>, installation: number): Promise<void> {
    const octokit = this.#installations.client(installation);
    for (const repository of repositories) await ensureTriggerLabel(octokit, repository);
  }
}
