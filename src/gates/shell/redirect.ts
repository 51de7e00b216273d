import type { HereDoc, Redirect, Redirection } from 'unbash';
import type { FileUse } from './command.ts';
import { type Expansion, partsText, textOf } from './expand.ts';
import { downloaded, printed } from './marks.ts';
import { fileContent } from './scope.ts';

/** What the redirections of a command do. */
export interface Redirected {
  /** Absent if its standard input is not redirected. */
  readonly input?: string;
  readonly uses: readonly FileUse[];
  /** Where its standard output goes, if to a file. */
  readonly output?: FileUse;
}

export function redirected(redirections: readonly Redirection[], at: Expansion): Redirected {
  const uses: FileUse[] = [];
  let streams: Omit<Redirected, 'uses'> = {};
  for (const one of redirections) streams = { ...streams, ...oneMore(one, uses, at) };
  return { ...streams, uses };
}

/** What one of them does with the standard streams; the file it names is added to the others. */
function oneMore(one: Redirection, uses: FileUse[], at: Expansion): Omit<Redirected, 'uses'> {
  if (one.type === 'HereDoc') return { input: hereDocument(one, at) };
  if (one.type === 'HereString')
    return { input: one.target === undefined ? '' : `${textOf(one.target, at)}\n` };
  const use = fileUse(one, at);
  if (use === undefined) return {};
  uses.push(use);
  if (use.access === 'read') {
    const content = use.path.startsWith('/dev/tcp/') ? downloaded : fileContent(at.scope, use.path);
    return { input: content ?? printed };
  }
  const isOutput =
    one.descriptor === undefined || (one.descriptor.type === 'FileDescriptor' && one.descriptor.value === 1);
  return isOutput ? { output: use } : {};
}

/** The text of a here-document; a body without `parts` is literal. */
function hereDocument({ body, operator }: HereDoc, at: Expansion): string {
  const text = body.parts === undefined ? body.text : partsText(body.parts, at);
  return operator === '<<-' ? text.replace(/^\t+/gm, '') : text;
}

/** `2>&1` and `<&3` name no file. */
function fileUse({ operator, target }: Redirect, at: Expansion): FileUse | undefined {
  if (target === undefined) return undefined;
  const path = textOf(target, at);
  if ((operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(path)) return undefined;
  if (operator === '<' || operator === '<&') return { path, access: 'read' };
  return {
    path,
    access: operator === '>>' || operator === '&>>' || operator === '<>' ? 'append' : 'replace',
  };
}
