import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Html, html } from '../../html/html.ts';
import type { Account } from '../../steering/shapes/people.ts';

/** A way into the page: who is let in, and as whom. */
export interface Entrance {
  /** The paths of its own pages. */
  readonly paths: readonly string[];
  /** Where people leave; null where there is nothing to leave. */
  readonly wayOut: string | null;
  /** Answers what is for the entrance itself; undefined for what is for the page. */
  answer(request: IncomingMessage, url: URL): Promise<Reply | undefined>;
  /** Who sends a request; undefined for strangers. */
  admit(headers: IncomingHttpHeaders): Admitted | undefined;
  /** What strangers are told who want to see a path; `isOver`: GitHub no longer accepts their token. */
  wayIn(request: IncomingMessage, url: URL, isOver: boolean): Reply;
}

/** For whoever was let in, all is done with their own token. */
export interface Admitted {
  readonly token: string;
  /** Absent if only GitHub knows. */
  readonly account?: Account;
}

/** A page that says something, or where the browser goes on. */
export type Reply = (
  | { readonly leadsTo: string }
  | { readonly status: number; readonly title: string; readonly content: Html }
) & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** `allow`: the methods that are taken, as `GET, HEAD`. */
export function onlyTakes(allow: string): Reply {
  const content = html`<p>This address accepts only ${allow}.</p>`;
  return { status: 405, title: 'Method not allowed', content, headers: { allow } };
}

export const foreignForm: Reply = {
  status: 403,
  title: 'Request refused',
  content: html`<p>This form was sent from another site.</p>`,
};
