import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A part of a benchmark in a process of its own, so that nobody's event loop is in another's way. */
export interface Part<Ready, Question, Answer> {
  /** What it said when it was ready. */
  readonly ready: Ready;
  /** One at a time. */
  ask(question: Question): Promise<Answer>;
  end(): Promise<void>;
}

/** What a part is, seen from inside. */
export interface Role<Ready, Question, Answer> {
  readonly ready: Ready;
  answer(question: Question): Promise<Answer>;
  end(): Promise<void>;
}

type Message = { readonly said: unknown } | { readonly failed: string };

const patienceMs = 180_000;

/** Starts a part; `parts.ts` says which there are. Types travel with JSON: both ends are ours. */
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
    const late = AbortSignal.timeout(patienceMs);
    const gone = exit.then(() => {
      throw new Error(`the part ${name} ended before it ${what}`);
    });
    // An array: what arrived with the event.
    const [message] = (await Promise.race([once(child, 'message', { signal: late }), gone])) as [Message];
    if ('failed' in message) throw new Error(`the part ${name} failed: ${message.failed}`);
    return message.said;
  };
  return {
    ready: (await next('was ready')) as Ready, // written by the role of this name
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

/** Lets a role live in this process until whoever started it lets go. */
export function play<Ready, Question, Answer>(role: Role<Ready, Question, Answer>): void {
  process.on('message', ({ question }: { question: Question }) => {
    role.answer(question).then(
      (said) => tell({ said: said ?? null }),
      (fault: unknown) =>
        tell({ failed: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) }),
    );
  });
  process.once('disconnect', () => {
    void role.end().finally(() => process.exit(0));
  });
  tell({ said: role.ready });
}

function tell(message: Message): void {
  process.send?.(message);
}
