import { client, RequestError } from '@agentclientprotocol/sdk';
import type { Wire } from './wire.ts';

/** A connection to an agent: its answers are values of any shape, and are read where they are needed. */
export interface Connection {
  /** Rejects with the agent's error, or with what the connection was closed with. */
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): Promise<void>;
  /** Whoever waits for an answer gets this instead. */
  close(why: Error): void;
}

/** Answers a request of the agent; undefined if we have no answer to such requests. */
type Answer = (method: string, params: unknown, signal: AbortSignal) => Promise<object> | undefined;

export function connect(wire: Wire, answer: Answer): Connection {
  const app = client({ name: 'coxswain' }).onRequest('*', ({ method, params, signal }) => {
    const answering = answer(method, params, signal);
    if (answering === undefined) throw RequestError.methodNotFound(method);
    return answering;
  });
  const connection = app.connect(wire.stream);
  return {
    request: (method, params) => connection.agent.request(method, params),
    notify: (method, params) => connection.agent.notify(method, params),
    close: (why) => connection.close(why),
  };
}
