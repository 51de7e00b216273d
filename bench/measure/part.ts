import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A part of a benchmark in a separate process, so that parts do not share an event loop. */
export interface Part<Ready, Question, Answer> {
  /** What it reported when it was ready. */
  readonly ready: Ready;
  /** One question at a time. */
  ask(question: Question): Promise<Answer>;
  end(): Promise<void>;
}

/** A part, as its own process implements it. */
export interface PartHandler<Ready, Question, Answer> {
  readonly ready: Ready;
  answer(question: Question): Promise<Answer>;
  end(): Promise<void>;
}

type Message = { readonly answer: unknown } | { readonly failed: string };

const timeoutMs = 180_000;

/** Starts one of the parts in `parts.ts`. The types are not checked: both ends are ours. */
export async function startPart<Ready, Question, Answer>(
  name: string,
  settings: unknown,
  env: Readonly<Record<string, string>> = {},
): Promise<Part<Ready, Question, Answer>> {
  const child = fork(
    fileURLToPath(new URL('./parts.js', import.meta.url)),
    [name, JSON.stringify(settings)],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const exit = once(child, 'exit');
  const next = async (what: string): Promise<unknown> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const gone = exit.then(() => {
      throw new Error(`the part ${name} ended before it ${what}`);
    });
    // An array: what arrived with the event.
    const [message] = (await Promise.race([once(child, 'message', { signal: timeout }), gone])) as [Message];
    if ('failed' in message) throw new Error(`the part ${name} failed: ${message.failed}`);
    return message.answer;
  };
  return {
    ready: (await next('was ready')) as Ready, // written by the part of this name
    async ask(question) {
      child.send({ question });
      return (await next('answered')) as Answer; // likewise
    },
    async end() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}

/** Answers questions in this process until the parent disconnects. */
export function servePart<Ready, Question, Answer>(handler: PartHandler<Ready, Question, Answer>): void {
  process.on('message', ({ question }: { question: Question }) => {
    handler.answer(question).then(
      (answer) => send({ answer: answer ?? null }),
      (fault: unknown) =>
        send({ failed: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) }),
    );
  });
  process.once('disconnect', () => {
    void handler.end().finally(() => process.exit(0));
  });
  send({ answer: handler.ready });
}

function send(message: Message): void {
  process.send?.(message);
}
