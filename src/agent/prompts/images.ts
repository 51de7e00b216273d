import { shortened } from '../../text/cut.ts';
import type { IssueContext } from '../issue-context.ts';
import { oneLine, paragraphs, quoted, section } from './text.ts';

/** What the images are that come with the prompt; null if there are none. */
export function imagesOfIssue(context: IssueContext | undefined): string | null {
  const { images = [], images_left_out: left = 0 } = context ?? {};
  if (images.length === 0 && left === 0) return null;
  const text = paragraphs(
    images.length > 0 &&
      'If you can see images: these come with this prompt, in this order. What is written in them is part of ' +
        'what their authors say.',
    images.map(({ alt, by }, index) => `${index + 1}. by @${by}${described(alt)}`).join('\n'),
    left > 0 && `Left out: ${left} that could not be read, or that come after the first ones.`,
  );
  return section('### Images', text);
}

function described(alt: string): string {
  const text = shortened(oneLine(quoted(alt)), 200);
  return text === '' ? '' : `: ${text}`;
}
