import { isCritical } from '../../steering/permission/held-work.ts';
import { rulesOf } from '../../steering/permission/tool-calls.ts';
import type { AskedPermission } from '../../steering/standing.ts';
import { gateHitLine } from './gates.ts';
import { command } from './phrases.ts';
import { code, cut, fenced, inertTitle, plain } from './sanitize.ts';

/** What an agent wants to do, why people are asked, until when it waits, and what each answer means. */
export function callSummary({ call, until }: AskedPermission): readonly string[] {
  const { command: line, hits, kind } = call;
  const what = line === undefined ? withoutCommand(call) : wholeCommand(line);
  const why =
    hits.length === 0
      ? [
          `The configuration asks a human about every call of this kind (${code(`permissions.${keyOf(kind)}`)}).`,
        ]
      : [`**Asked because of**\n\n${hits.slice(0, maxHits).map(gateHitLine).join('\n')}`];
  return [...what, ...why, `The agent waits until ${until}; then it goes on without.`, answersText(call)];
}

const maxHits = 20;

/** The key of `permissions` by which calls of a kind are decided. */
function keyOf(kind: string): string {
  return kind === 'edit' || kind === 'delete' || kind === 'move' ? kind : 'execute';
}

/** The title is the agent's own word, the files are what it names to its tool. */
function withoutCommand({ kind, title, paths = [] }: AskedPermission['call']): readonly string[] {
  const files = paths.map((path) => `- ${code(path, 300)}`);
  return [`**${plain(kind)}**: ${plain(title, 500)}`, ...(files.length > 0 ? [files.join('\n')] : [])];
}

/** GitHub does not break the lines of code, so that the end of a long one would be out of sight. */
function wholeCommand(line: string): readonly string[] {
  const shown = cut(line, 4000).split('\n').map(folded).join('\n');
  const note = shown === line ? [] : [`A line that ends in ${fold} goes on in the next one.`];
  return [fenced(shown, 'sh'), ...note];
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
  const rules = rulesOf(call);
  const same =
    call.hits.length === 0 ? `calls of the kind ${call.kind}` : rules.map((rule) => code(rule)).join(', ');
  const always =
    rules.length === 0
      ? `${code('/allow always')} is the same here as ${command('allow')}: critical rules ask every time.`
      : `${code('/allow always')} stops asking about ${same} in this run.`;
  const critical = call.hits.some(isCritical)
    ? ' Because of a critical rule, only someone with maintain or admin can answer.'
    : '';
  return (
    `${command('allow')} lets it go on with the call, ${command('deny')} without it; ` +
    `a reason after ${command('deny')} is told to it. ${always}${critical}`
  );
}
