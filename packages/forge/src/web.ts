import { attachmentAt } from './attachments.ts';
import type { Context } from './context.ts';
import { appFromManifest } from './manifests.ts';
import type { ForgeRequest, ForgeResponse, HandledRequest } from './requests.ts';
import type { Website } from './website/website.ts';

/** A request of a browser, and the website if the forge has one. */
interface Browsed {
  request: ForgeRequest;
  url: URL;
  website: Website | undefined;
}

/** Serves browsers: the website if there is one, files of texts, and the form that creates an App. */
export async function handleBrowser(context: Context, browsed: Browsed): Promise<HandledRequest> {
  return { response: await responseFor(context, browsed), route: 'none', actor: 'anonymous' };
}

async function responseFor(context: Context, { request, url, website }: Browsed): Promise<ForgeResponse> {
  const { method, body } = request;
  if (method === 'POST' && /^\/(organizations\/[^/]+\/)?settings\/apps\/new$/.test(url.pathname)) {
    return redirect(appFromManifest(context, new URLSearchParams(body.toString('utf8')), url));
  }
  const file = method === 'GET' ? attachmentAt(context, url) : undefined;
  if (file !== undefined) return file;
  return website ? website(request, url) : notFound();
}

function redirect(location: string): ForgeResponse {
  return { status: 302, headers: { location }, body: '' };
}

function notFound(): ForgeResponse {
  const message = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' };
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 404, headers, body: JSON.stringify(message) };
}
