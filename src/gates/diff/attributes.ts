import type { GateHit } from '../../steering/attempt-result.ts';
import { anyOf } from '../../text/pattern/any-of.ts';
import { matching } from '../path-rules/path-rule.ts';
import { hitAt } from '../rules.ts';
import { isGenerated } from './kinds.ts';
import type { Patch } from './patch.ts';

const isAttributes = matching(['**/.gitattributes', '**/.git/info/attributes']);

/** What keeps changes from being shown, has Git run a program, or has one side of a merge win. */
const hiding = anyOf([
  String.raw`(?:^|\s)(?:-diff|diff=unset|binary|linguist-generated(?:=true)?|gitlab-generated(?:=true)?)(?=\s|$)`,
  String.raw`(?:^|\s)(?:filter=(?!lfs\b)|merge=|-merge\b|working-tree-encoding=|ident\b|export-subst\b|conflict-marker-size=)`,
]);

/** What nobody reads as text. */
const isMedia = matching([
  '**/*.{png,jpg,jpeg,gif,webp,avif,ico,bmp,tiff,psd,ai,sketch,fig,pdf,mp3,mp4,mov,webm,wav,ogg,flac,woff,woff2,ttf,otf,eot}',
  '**/*.{zip,gz,tgz,bz2,xz,7z,rar,tar,jar,war,dll,exe,so,dylib,a,lib,o,bin,dat,db,sqlite,parquet,npy,onnx,pt,h5,docx,xlsx,pptx}',
]);

/** Attributes that hide changes of code from reviewers, or have Git run something, in added lines. */
export function attributeHits({ change: { path }, added }: Patch): readonly GateHit[] {
  if (!isAttributes(path)) return [];
  return added
    .filter(({ text }) => {
      const [pattern = '', ...attributes] = text.slice(0, maxLine).trim().split(/\s+/);
      if (pattern === '' || pattern.startsWith('#')) return false;
      return hiding.test(attributes.join(' ')) && (pattern.startsWith('[attr]') || !isOpaque(pattern));
    })
    .slice(0, maxHits)
    .map(({ number, text }) => hitAt('changes-automation', { path, line: number, allows }, text));
}

const maxLine = 1_000;
const maxHits = 5;

const allows = 'reviewers no longer see what changes in these files, or Git treats them as this says';

/** Whether all that a pattern can be about is media, or generated. */
function isOpaque(pattern: string): boolean {
  const example = pattern
    .replace(/^["/]+|"+$/g, '')
    .replace(/\*+\/?$/, 'x')
    .replaceAll('*', 'x');
  return isMedia(example) || isGenerated(example);
}
