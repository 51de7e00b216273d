import type { IssueContext } from '../../agent/index.ts';
import { attachedImages, fileOf, readImage } from '../../github/read/attached-images.ts';

/** A text that may have images. */
interface WithImages {
  readonly html: string;
  readonly by: string;
}

interface Place {
  /** The text of the task as the run has it: an image that came into the issue later was not in it. */
  readonly task: string;
  readonly apiUrl: string;
  readonly signal: AbortSignal;
}

const maxImages = 8;

/** Reads the images of an issue, then those of its comments, and counts those that are left out. */
export async function imagesOf(
  issue: WithImages,
  comments: readonly WithImages[],
  { task, apiUrl, signal }: Place,
): Promise<Pick<IssueContext, 'images' | 'images_left_out'>> {
  const shownIn = ({ html, by }: WithImages) => attachedImages(html, apiUrl).map((shown) => ({ shown, by }));
  const ofTask = shownIn(issue).filter(({ shown }) => task.includes(fileOf(shown)));
  const all = [...ofTask, ...comments.flatMap(shownIn)];
  const images: IssueContext['images'][number][] = [];
  for (const { shown, by } of all.slice(0, maxImages)) {
    const image = await readImage(shown, signal);
    if (image !== undefined) images.push({ image, alt: shown.alt, by });
  }
  return { images, images_left_out: all.length - images.length };
}
