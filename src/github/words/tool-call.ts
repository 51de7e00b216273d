import { rulesOf } from '../../steering/permission/tool-calls.ts';
import type { AskedPermission } from '../../steering/standing.ts';
import { said, under } from './format.ts';
import { gateHitLine } from './gates.ts';
import { alwaysText } from './permission.ts';
import { command } from './phrases.ts';
import { code, cut, fenced, inertTitle, plain } from './sanitize.ts';

/** What an agent wants to do, why people are asked, until when it waits, and what each answer means. */
export function callSummary({ call, until }: AskedPermission): readonly string[] {
  const { command: line, hits, kind } = call;
  const what = line === undefined ? withoutCommand(call) : wholeCommand(line);
  const why =
    under('**Asked because of**', hits.slice(0, maxHits).map(gateHitLine)) ||
    `The configuration asks a human about every call of this kind (${code(`permissions.${keyOf(kind)}`)}).`;
  return [...what, why, `The agent waits until ${until}; then it goes on without.`, answersText(call)];
}

const maxHits = 20;

/** The key of `permissions` by which calls of a kind are decided. */
function keyOf(kind: string): string {
  return kind === 'edit' || kind === 'delete' || kind === 'move' ? kind : 'execute';
}

/** The title is the agent's own word, the files are what it names to its tool. */
function withoutCommand({ kind, title, paths = [] }: AskedPermission['call']): readonly string[] {
  const files = paths.map((path) => `- ${code(path, 300)}`);
  return [`**${plain(kind)}**: ${plain(title, 500)}`, files.join('\n')];
}

/** GitHub does not break the lines of code, so that the end of a long one would be out of sight. */
function wholeCommand(line: string): readonly string[] {
  const shown = cut(line, 4000).split('\n').map(folded).join('\n');
  return said([
    fenced(shown, 'sh'),
    shown !== line && `A line that ends in ${fold} goes on in the next one.`,
  ]);
}

function folded(line: string): string {
  const points = [...line];
  const parts = Array.from({ length: Math.ceil(points.length / maxWidth) }, (_, index) =>
    points.slice(index * maxWidth, (index + 1) * maxWidth).join(''),
  );
  return parts.join(`${fold}\n`);
}

const fold = '↩';
const maxWidth = 100;

/** In a title, where nothing is formatted. */
export function callTitle({ call }: AskedPermission): string {
  return `Waiting for permission: ${inertTitle(call.command ?? call.title, 100)}`;
}

function answersText(call: AskedPermission['call']): string {
  const same = call.hits.length === 0 ? `calls of the kind ${call.kind}` : undefined;
  return (
    `${command('allow')} lets it go on with the call, ${command('deny')} without it; ` +
    `a reason after ${command('deny')} is told to it. ${alwaysText(rulesOf(call), call.hits, same)}`
  );
}
