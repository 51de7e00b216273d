import { attachmentWith } from '../../attachments.ts';
import { notFound } from '../../responses.ts';
import { pathPattern } from '../pattern.ts';
import { rawResponse } from '../response.ts';
import type { PageRoute } from '../visit.ts';

/** Files that somebody dropped into a text, at the address that the text has. */
export const attachmentPages: readonly PageRoute[] = [
  {
    pattern: pathPattern('/user-attachments/assets/:id'),
    of: 'anything',
    async show({ context }, { id = '' }) {
      const attachment = attachmentWith(context, id);
      if (!attachment) throw notFound();
      const response = rawResponse(Buffer.from(attachment.content, 'base64'));
      return { ...response, headers: { ...response.headers, 'content-type': attachment.type } };
    },
  },
];
