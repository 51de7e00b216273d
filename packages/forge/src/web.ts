import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from './context.ts';
import { appFromManifest } from './manifests.ts';

/** What a browser is shown: a way on to wherever the pages are, and the one form Apps are made by. */
export async function answerBrowser(
  context: Context,
  { request, response, url }: { request: IncomingMessage; response: ServerResponse; url: URL },
): Promise<void> {
  if (request.method === 'POST' && /^\/(organizations\/[^/]+\/)?settings\/apps\/new$/.test(url.pathname)) {
    const target = await appFromManifest(context, request, url);
    response.writeHead(302, { location: target }).end();
    return;
  }
  const target = context.observers.onHtml?.(url.pathname);
  if (target !== undefined) {
    response.writeHead(302, { location: target }).end();
    return;
  }
  response.writeHead(404, { 'content-type': 'application/json; charset=utf-8' });
  response.end(
    JSON.stringify({
      message: 'Not Found',
      documentation_url: 'https://docs.github.com/rest',
      status: '404',
    }),
  );
}
