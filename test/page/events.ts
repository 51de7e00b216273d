/** Reads a stream of server-sent events. */
export interface ServerEvent {
  /** Empty if it has none. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export class EventReader {
  readonly response: Response;
  readonly #controller: AbortController;
  readonly #texts: AsyncIterator<string>;
  #rest = '';
  /** Comments so far. */
  beats = 0;

  private constructor(response: Response, controller: AbortController) {
    this.response = response;
    this.#controller = controller;
    if (response.body === null) throw new Error(`no body (${response.status})`);
    this.#texts = response.body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
    const controller = new AbortController();
    return new EventReader(await fetch(url, { headers, signal: controller.signal }), controller);
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<ServerEvent | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n\n');
      if (end >= 0) {
        const block = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        const event = this.#read(block);
        if (event !== undefined) return event;
        continue;
      }
      const { done, value } = await this.#texts.next();
      if (done) return undefined;
      this.#rest += value;
    }
  }

  close(): void {
    this.#controller.abort();
  }

  #read(block: string): ServerEvent | undefined {
    if (block.startsWith(':')) this.beats += 1;
    const fields = new Map(
      block.split('\n').map((line) => [line.split(': ', 1)[0], line.replace(/^\w+: /, '')]),
    );
    const [id = '', event = '', data] = [fields.get('id'), fields.get('event'), fields.get('data')];
    return data === undefined ? undefined : { id, event, data: JSON.parse(data) };
  }
}
