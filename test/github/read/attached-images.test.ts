import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attachedImages, fileOf, readImage } from '../../../src/github/read/issue-comments.ts';

const png = Buffer.from('\u0089PNG\r\n\u001a\nrest', 'latin1');
const gitHub = 'https://api.github.com';
const uuid = '01234567-89ab-cdef-0123-456789abcdef';
const signed = `https://private-user-images.githubusercontent.com/1/2-${uuid}.png?jwt=a.b&x=1`;

describe('images that people attached', () => {
  test('are found where GitHub shows them, with their addresses and descriptions', () => {
    const html = `<p><a href="${signed}"><img width="20" src="${signed.replaceAll('&', '&amp;')}" alt="a &lt;b&gt;" style=""></a>
      <img src="https://user-images.githubusercontent.com/1/old.png"></p>`;
    const found = attachedImages(html, gitHub);
    expect(found).toEqual([
      { url: signed, alt: 'a <b>' },
      { url: 'https://user-images.githubusercontent.com/1/old.png', alt: '' },
    ]);
    expect(found.map(fileOf)).toEqual([uuid, 'https://user-images.githubusercontent.com/1/old.png']);
  });

  test.each([
    'https://camo.githubusercontent.com/x.png',
    'http://private-user-images.githubusercontent.com/x.png',
    'https://private-user-images.githubusercontent.com.evil.example/x.png',
    'https://private-user-images.githubusercontent.com@127.0.0.1/x.png',
    'http://127.0.0.1/x.png',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    '/relative.png',
    '',
  ])('are not at %s', (url) => {
    expect(attachedImages(`<img src="${url}" alt="x">`, gitHub)).toEqual([]);
  });

  test('of an Enterprise Server are at the server itself, and nowhere else', () => {
    const own = 'https://ghe.example/user/1/x.png';
    const html = [own, 'https://10.0.0.1/x.png', signed].map((url) => `<img src="${url}">`).join('');
    expect(attachedImages(html, 'https://ghe.example/api/v3').map(({ url }) => url)).toEqual([own]);
  });
});

describe('reading an image', () => {
  const never = new AbortController().signal;

  test.each([
    ['image/png', png],
    ['image/jpeg', Buffer.from('\u00ff\u00d8\u00ff\u00e0', 'latin1')],
    ['image/gif', Buffer.from('GIF89a..')],
    ['image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
  ])('takes %s by its bytes, whatever it is called', async (mime_type, bytes) => {
    const url = await serving(
      (_, response) => void response.setHeader('content-type', 'text/html').end(bytes),
    );
    expect(await readImage({ url, alt: '' }, never)).toEqual({ mime_type, data: bytes.toString('base64') });
  });

  test.each<[string, RequestListener]>([
    [
      'HTML that is said to be an image',
      (_, to) => void to.setHeader('content-type', 'image/png').end('<html>'),
    ],
    ['an SVG', (_, to) => void to.end('<svg onload="alert(1)"/>')],
    ['nothing', (_, to) => void to.end()],
    ['more than 5 MB', (_, to) => void to.end(Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]))],
    ['an image that is gone', (_, to) => void to.writeHead(404).end(png)],
    ['an answer that breaks off', (_, to) => void to.write(png, () => to.destroy())],
  ])('takes no %s', async (_, listener) => {
    expect(await readImage({ url: await serving(listener), alt: '' }, never)).toBeUndefined();
  });

  test('follows nobody elsewhere', async () => {
    let asked = 0;
    const inside = await serving((_, response) => {
      asked += 1;
      response.end(png);
    });
    const url = await serving((_, response) => void response.writeHead(302, { location: inside }).end());
    expect(await readImage({ url, alt: '' }, never)).toBeUndefined();
    expect(asked).toBe(0);
  });

  test('ends when the attempt ends', async () => {
    const ending = new AbortController();
    const url = await serving(() => ending.abort());
    expect(await readImage({ url, alt: '' }, ending.signal)).toBeUndefined();
  });
});

/** The address of a server that is gone when the test is. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of that shape.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.png`;
}
