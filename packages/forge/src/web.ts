import { attachmentAt } from './attachments.ts';
import type { Context } from './context.ts';
import { appFromManifest } from './manifests.ts';
import type { ForgeRequest, ForgeResponse, HandledRequest } from './requests.ts';

/**
 * Serves browsers: redirects to the pages (see `onHtml`), serves files of texts, and accepts the form that creates
 * an App.
 */
export async function handleBrowser(
  context: Context,
  request: ForgeRequest,
  url: URL,
): Promise<HandledRequest> {
  return { response: responseFor(context, request, url), route: 'none', actor: 'anonymous' };
}

function responseFor(context: Context, { method, body }: ForgeRequest, url: URL): ForgeResponse {
  if (method === 'POST' && /^\/(organizations\/[^/]+\/)?settings\/apps\/new$/.test(url.pathname)) {
    return redirect(appFromManifest(context, new URLSearchParams(body.toString('utf8')), url));
  }
  const file = method === 'GET' ? attachmentAt(context, url) : undefined;
  if (file !== undefined) return file;
  const target = context.observers.onHtml?.(url.pathname);
  return target === undefined ? notFound() : redirect(target);
}

function redirect(location: string): ForgeResponse {
  return { status: 302, headers: { location }, body: '' };
}

function notFound(): ForgeResponse {
  const message = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' };
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 404, headers, body: JSON.stringify(message) };
}
