import type { EventOf } from '../../steering/event.ts';
import { shortSha } from '../../steering/phrases/short-sha.ts';
import type { TaskChanges } from '../../steering/task.ts';
import { counted } from '../../text/amounts.ts';
import { shortened } from '../../text/cut.ts';

/** A command as somebody said it, for the history: of tasks it names only the first lines. */
export function commandText(command: EventOf<'said'>['command']): string {
  switch (command.type) {
    case 'steer':
      return ['/steer', ...(command.now ? ['--now'] : []), ...withAgent(command), command.prompt].join(' ');
    case 'budget':
      return `/budget +${command.more}${command.limit === null ? '' : ` ${command.limit}`}`;
    case 'reject':
    case 'abandon':
    case 'pause':
    case 'interrupt':
      return `/${command.type} ${command.reason}`.trim();
    case 'extend':
      return `/extend ${command.more}`;
    case 'undo':
      return command.to === null ? '/undo' : `/undo ${command.to}`;
    case 'run':
      return `/run ${command.task}`.trim();
    case 'approve':
      return [
        '/approve',
        ...(command.sha === null ? [] : [shortSha(command.sha)]),
        ...command.despite.map((name) => `--despite ${name}`),
      ].join(' ');
    case 'answer':
      return ['/answer', ...(command.question === undefined ? [] : [command.question]), command.text].join(
        ' ',
      );
    case 'allow':
      return `/allow ${command.scope}`;
    case 'deny':
      return `/deny ${command.reason}`.trim();
    case 'dismiss':
      return `/dismiss ${command.concern} ${command.reason}`.trim();
    case 'verify':
      return command.ci ? '/verify --ci' : '/verify';
    case 'misspoken':
      return `/${command.name}, which could not be parsed: ${command.problem}`;
    case 'spawn':
      return command.tasks.length === 0
        ? '/spawn'
        : `/spawn with ${counted(command.tasks.length, 'task')}: ${command.tasks.map(({ title, description }) => firstLine(title ?? description)).join('; ')}`;
    case 'retry':
      return command.changes === undefined ? '/retry' : `/retry with another ${changedText(command.changes)}`;
    case 'cancel':
    case 'resume':
    case 'status':
    case 'diff':
    case 'logs':
    case 'why':
    case 'help':
      return `/${command.type}`;
  }
}

/** As people read the keys of a task. */
function changedText({ overrides = {}, ...words }: TaskChanges): string {
  return [...Object.keys(words), ...Object.keys(overrides)].map((key) => key.replaceAll('_', ' ')).join(', ');
}

function withAgent({ with: agent }: { readonly with?: string }): readonly string[] {
  return agent === undefined ? [] : [`--with ${agent}`];
}

function firstLine(text: string): string {
  return shortened(text.trim().split('\n', 1)[0] ?? '', 100);
}
