import type { VerifierOutput } from '../../steering/evidence.ts';
import type { State } from '../../steering/state.ts';
import { pullLink } from './links.ts';
import { command, fileLine, verdictLine } from './phrases.ts';
import { code, cut, fenced, plain } from './sanitize.ts';
import type { DiffText, Sources } from './sources.ts';

/** What a comment may hold of somebody else's text; GitHub ends it at 65,536 characters. */
const mostText = 50_000;
const mostFiles = 100;

/** The answer to `/diff`. */
export async function diffText(
  { path, full }: { readonly path: string | null; readonly full: boolean },
  state: State,
  sources: Sources,
): Promise<string> {
  const all = pullLink(sources.web, state, 'files');
  const diff = await sources.diff(path, full);
  if (diff === undefined)
    return `The diff cannot be had right now. [All changes](${all}) are on the Files tab.`;
  if (diff.files.length === 0) {
    return path === null
      ? 'No changes yet: nothing differs from the base.'
      : `No changes in ${code(path)}. ${command('diff')} without a path shows all of them.`;
  }
  return [`**${plain(state.run.repo)}**: ${plain(diff.summary)}`, fileList(diff), ...bodies(diff, all)].join(
    '\n\n',
  );
}

/** The answer to `/logs`. */
export async function logsText(
  { verifier }: { readonly verifier: string | null },
  state: State,
  sources: Sources,
): Promise<string> {
  const outputs = state.shown?.verifiers ?? (await sources.outputs());
  if (outputs === undefined)
    return `No verifier has spoken yet. ${command('status')} tells where the run stands.`;
  const asked = outputs.filter(
    ({ name, verifier: whole }) => verifier === null || [name, whole].includes(verifier),
  );
  if (asked.length === 0) return noneOf(verifier, outputs);
  const share = Math.floor(mostText / asked.length);
  return asked.map((output) => outputText(output, share)).join('\n\n');
}

/** One verifier: its verdict, then what it printed, where it printed anything; the end is what is kept. */
export function outputText(output: VerifierOutput, most: number): string {
  const parts = (['stdout', 'stderr'] as const).filter((stream) => output[stream].trim() !== '');
  const share = Math.floor(most / Math.max(parts.length, 1));
  const texts = parts.map((stream) => `${stream}:\n\n${fenced(tail(output[stream], share), 'text')}`);
  const silent = parts.length === 0 ? ['It printed nothing.'] : [];
  return [code(verdictLine(output)), ...texts, ...silent].join('\n\n');
}

function fileList({ files }: DiffText): string {
  const lines = files.slice(0, mostFiles).map((file) => `- ${code(fileLine(file), 600)}`);
  const more = files.length > mostFiles ? [`- and ${files.length - mostFiles} more`] : [];
  return [...lines, ...more].join('\n');
}

function bodies({ files, truncated }: DiffText, all: string): readonly string[] {
  const text = files.map(({ diff }) => diff.trimEnd()).join('\n');
  const shown = cut(text, mostText);
  const cutShort = truncated || shown !== text;
  return [
    ...(text.trim() === '' ? [] : [fenced(shown, 'diff')]),
    ...(cutShort ? [`Not all of it fits here: [all changes](${all}).`] : []),
  ];
}

function noneOf(verifier: string | null, outputs: readonly VerifierOutput[]): string {
  const known = outputs.map(({ name }) => code(name)).join(', ');
  if (verifier === null || known === '') return 'No verifier is configured, so none has printed anything.';
  return `There is no verifier ${code(verifier)}. Those that ran are ${known}.`;
}

function tail(text: string, most: number): string {
  return text.length <= most ? text : `[truncated]\n${[...text.slice(-most)].slice(1).join('')}`;
}
