import { linesOf, plainLines } from './plain-lines.ts';

/** It matches `#12`, `acme/api#12` or the address of an issue or a pull request. */
const reference = new RegExp(
  String.raw`(?:https?:\/\/[\w.:-]+\/(?<place>[\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(?<id>\d{1,9})|` +
    String.raw`(?<repository>[\w.-]+\/[\w.-]+)?#(?<number>\d{1,9}))(?![\w-])`,
);
const between = String.raw`(?:[ \t]*,[ \t]*(?:and[ \t]+)?|[ \t]+(?:and|&)[ \t]+)`;
const line = new RegExp(
  String.raw`^ {0,3}depends on:?[ \t]+((?:${unnamed(reference)})(?:${between}(?:${unnamed(reference)}))*)`,
  'i',
);

/**
 * What a text says that it depends on, as `#12`, or `acme/api#12` where it names a repository: lines of plain
 * text such as `Depends on #1, #2 and #3`, but nothing in code, quotes or lists.
 */
export function dependenciesIn(markdown: string): readonly string[] {
  const lines = linesOf(markdown);
  const isPlain = plainLines(lines);
  return lines.flatMap(({ text }, index) => {
    const [, list] = (isPlain[index] && line.exec(text)) || [];
    return list === undefined ? [] : referencesIn(list);
  });
}

function referencesIn(list: string): readonly string[] {
  return [...list.matchAll(new RegExp(reference, 'g'))].map(({ groups = {} }) => {
    const { place, id, repository = '', number } = groups;
    return place === undefined ? `${repository}#${number}` : `${place}#${id}`;
  });
}

function unnamed({ source }: RegExp): string {
  return source.replace(/\?<\w+>/g, '');
}
