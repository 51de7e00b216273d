import { expect, test } from 'vitest';
import { taskBlock } from '../../src/config/tasks/task-documents.ts';
import { dispatchedCommand } from '../../src/github/listen/hear-request.ts';
import { translate } from '../../src/github/listen/translate.ts';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { viewOf } from '../../src/github/show/view.ts';
import type { TaskAction } from '../../src/page/tasks/task-fields.ts';
import { sentForm, writtenComment } from '../../src/page/tasks/task-form.ts';
import { interruptOf, sourceOf } from '../../src/page/views/task-forms.ts';
import type { Command } from '../../src/steering/commands/index.ts';
import { decide } from '../../src/steering/decide.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import type { Source } from '../../src/steering/shapes/people.ts';
import type { State } from '../../src/steering/state/state.ts';
import { Hub, own, repository } from './model/hub.ts';
import { apiOf } from './model/hub-api.ts';
import { runIn } from './phases.ts';
import { ada, settingsOf } from './samples.ts';
import type { Story } from './story.ts';

/** By whichever door somebody decides about a failed task, it comes to the same. */

const failed = () => runIn.awaiting_resolution();
const written_at = new Date(failed().now).toISOString();
const comment: Source = { from: 'comment', comment_id: 5, text_sha256: 'x', written_at };

interface Said {
  readonly command: Command | undefined;
  readonly source: Source;
}

function byComment(body: string): Said {
  return { command: parseCommand(body) ?? undefined, source: comment };
}

/** The page posts a comment in the name of the person. */
function byPage({ state }: Story, action: TaskAction, fields: Readonly<Record<string, string>>): Said {
  const waiting = interruptOf(state);
  if (waiting === undefined) throw new Error('nothing has failed');
  const written = writtenComment(sentForm(action, new URLSearchParams(fields)), sourceOf(state, waiting));
  if ('problems' in written) throw new Error(JSON.stringify(written));
  return byComment(written.body);
}

function byWorkflow(command: string): Said {
  const inputs = { run: '7', command: command.replaceAll('\n', '\\n') };
  const read = dispatchedCommand({ inputs, repository });
  if (read === undefined || 'problem' in read) throw new Error(JSON.stringify(read));
  return { command: read.command, source: { from: 'dispatch', workflow_run_id: 5 } };
}

/** The button of the check run that is shown. */
async function byButton({ state }: Story, identifier: string): Promise<Said> {
  const [check] = viewOf(state, '').checks;
  expect(check?.actions.map((action) => action.identifier)).toContain(identifier);
  const click = { check_run_id: 9, check_name: 'Coxswain', external_id: openInteraction(state)?.id ?? '' };
  const sender = { login: ada.login, id: ada.id, bot: false };
  const octokit = apiOf(new Hub(settingsOf()));
  const incoming = { kind: 'click', installation_id: 1, repository, sender, ...click } as const;
  const [heard] = await translate(
    { ...incoming, identifier, head_sha: state.head },
    { octokit, own, trigger: '' },
  );
  if (heard?.kind !== 'event' || heard.event.type !== 'said') throw new Error(`nobody hears ${identifier}`);
  return heard.event;
}

/** What is decided, but for where it came from: only a comment is answered by a reaction. */
function ledgerAfter(run: Story, { command, source }: Said) {
  if (command === undefined) throw new Error('it is no command');
  const at = new Date(run.now).toISOString();
  const verdict = decide(run.state, { type: 'said', id: 'said:1', at, command, by: ada, source });
  if (verdict.outcome === 'nothing' || verdict.refuses) throw new Error(`${command.type} is not taken`);
  const { reaction: _, ...others } = verdict;
  return others;
}

async function same(doors: readonly ((run: Story) => Said | Promise<Said>)[]): Promise<State> {
  const [first, ...others] = await Promise.all(
    doors.map(async (door) => {
      const run = failed();
      return ledgerAfter(run, await door(run));
    }),
  );
  if (first === undefined) throw new Error('there is no door');
  for (const other of others) expect(other).toEqual(first);
  return first.state;
}

/** The block as it is given, with a change. */
const given = ({ state }: Story, from: string, to: string) =>
  taskBlock(state.task, state.overrides, openInteraction(state)?.id).replace(from, to);

test.each(['retry', 'spawn', 'abandon'] as const)('/%s alone', async (name) => {
  const page = name === 'spawn' ? [] : [(run: Story) => byPage(run, name, {})];
  const doors = [
    () => byComment(`/${name}`),
    (run: Story) => byButton(run, name),
    () => byWorkflow(`/${name}`),
  ];
  const state = await same([...doors, ...page]);
  const phases = { retry: 'queued', spawn: 'awaiting_resolution', abandon: 'abandoned' };
  expect(state.standing.phase).toBe(phases[name]);
});

test('/retry with other words', async () => {
  const words = (run: Story) => given(run, 'kind: build', 'kind: test');
  const state = await same([
    (run) => byComment(`/retry\n${words(run)}`),
    (run) => byPage(run, 'retry', { kind: 'test' }),
    (run) => byWorkflow(`/retry\n${words(run)}`),
  ]);
  expect(state.task.kind).toBe('test');
});

test('/spawn with a task', async () => {
  const text = '/spawn\n```coxswain\nname: less\ndescription: Do less\n```';
  const state = await same([
    () => byComment(text),
    (run) => byPage(run, 'spawn', { name: 'less', description: 'Do less', title: '' }),
    () => byWorkflow(text),
  ]);
  expect(state.standing).toMatchObject({ spawning: { tasks: [{ name: 'less', description: 'Do less' }] } });
});

test('/abandon with a reason', async () => {
  const state = await same([
    () => byComment('/abandon no use'),
    (run) => byPage(run, 'abandon', { reason: 'no use' }),
    () => byWorkflow('/abandon no use'),
  ]);
  expect(state.standing).toEqual({ phase: 'abandoned', by: 'ada', reason: 'no use' });
});
