import { z } from '@hono/zod-openapi';
import { readTaskFields } from '../config/tasks/task-documents.ts';
import { Problem } from '../doors/problem.ts';
import { mostAtOnce } from '../steering/commands/extend.ts';
import { type Command, parseSlashCommand } from '../steering/commands/index.ts';
import type { WrittenTask } from '../steering/commands/spec.ts';
import { raisableLimits } from '../steering/shapes/limits.ts';
import type { State } from '../steering/state/state.ts';

/** What a route that acts takes, and the command that it comes to. */
export interface Act {
  readonly fields: z.ZodObject;
  readonly example: object;
  /** What is answered if the fields are not as they should be; 400 unless it says something else. */
  readonly invalid?: 422;
  /** How an interrupt is resolved by it, if that is what it does. */
  action?(body: unknown): string;
  /** Throws `Problem` if they are no such command. */
  command(body: unknown, state: State): Command;
}

function act<S extends z.ZodObject>(
  fields: S,
  example: z.input<S>,
  command: (said: z.output<S>, state: State) => Command,
): Act {
  return { fields, example, command: (body, state) => command(fields.parse(body), state) };
}

const text = z.string().trim().min(1, 'expected words');
const why = z.strictObject({ reason: text.optional().meta({ description: 'Shown on the pull request' }) });
const nothing = z.strictObject({});
const task = z.record(z.string(), z.unknown()).meta({
  description:
    'The keys of a task as in a `coxswain` block: title, description, acceptance_criteria, component, kind, ' +
    'worker_profile, depends_on, and what it tightens of the configuration',
});

const retrying = z.strictObject({ changes: task.optional() });
const spawning = z.strictObject({
  description: text.optional().meta({ description: 'What to do instead, if that is one task' }),
  tasks: z.array(task).min(1).max(10).optional(),
});

const absent = <T extends z.ZodType>(of: T) => of.nullable().optional();

/** A-2, whose fields belong to one action each; null means absent. */
const resolution = z.strictObject({
  action: z.enum(['retry', 'spawn_new_task', 'abandon']),
  task_id: absent(z.string()).meta({ description: 'If it is given, it has to be the task that failed' }),
  modified_description: absent(z.string()),
  modified_criteria: absent(z.array(z.string())),
  new_description: absent(z.string()),
  new_component: absent(z.string()),
  new_phase: absent(z.enum(['plan', 'build', 'test'])),
  new_worker_profile: absent(z.string()),
  new_criteria: absent(z.array(z.string())),
  new_dependencies: absent(z.array(z.string())),
});

/** Everything that people can say over the API, by the name of its route. */
export const acts = {
  steer: act(
    z.strictObject({
      prompt: text.meta({ description: 'What to do differently' }),
      now: z.boolean().optional().meta({ description: 'Tell the agent at work, or stop it' }),
      with: text.optional().meta({ description: 'The agent that takes over' }),
    }),
    { prompt: 'Name it after what it does' },
    ({ prompt, now = false, with: agent }) => ({
      ...{ type: 'steer', prompt, now },
      ...(agent !== undefined && { with: agent }),
    }),
  ),
  approve: act(
    z.strictObject({
      sha: z
        .string()
        .regex(/^[0-9a-fA-F]{7,40}$/, 'expected 7 to 40 digits of a commit')
        .optional()
        .meta({ description: 'What is approved; the head of the run if it is absent' }),
      despite: z
        .array(text)
        .max(50)
        .optional()
        .meta({ description: 'Verifiers that failed and are overridden' }),
    }),
    { sha: '21b8057d3ab774cc9a942270e49b285d95f3edcc' },
    ({ sha, despite = [] }, { head }) => {
      if (sha !== undefined && !head.startsWith(sha.toLowerCase()))
        throw new Problem(
          409,
          `The head is ${head} by now, and not ${sha}: look at it before you approve it.`,
        );
      return { type: 'approve', sha: head, despite };
    },
  ),
  reject: act(z.strictObject({ reason: text }), { reason: 'Not what was asked for' }, ({ reason }) => ({
    ...{ type: 'reject', reason },
  })),
  cancel: act(nothing, {}, () => ({ type: 'cancel' })),
  answer: act(
    z.strictObject({
      question: z.string().optional().meta({ description: 'Its id; the one on show if it is absent' }),
      text: text.meta({ description: 'Words, or the number of an option' }),
    }),
    { text: '2' },
    ({ question, text: said }) => ({
      type: 'answer',
      text: said,
      ...(question !== undefined && { question }),
    }),
  ),
  allow: act(
    z.strictObject({ scope: z.enum(['once', 'always']).optional() }),
    { scope: 'once' },
    ({ scope = 'once' }) => ({
      ...{ type: 'allow', scope },
    }),
  ),
  deny: reasoned('deny'),
  retry: act(retrying, {}, ({ changes }) => written('retry', changes === undefined ? [] : [changes])),
  spawn: act(spawning, { description: 'Do only the first half' }, ({ description, tasks }) => {
    if ((description === undefined) === (tasks === undefined))
      throw new Problem(422, 'Expected either `description` or `tasks`.');
    return written('spawn', tasks ?? [{ description }]);
  }),
  abandon: reasoned('abandon'),
  resolve: {
    ...act(resolution, { action: 'retry' }, resolved),
    ...{ invalid: 422, action: (body) => resolution.parse(body).action },
  },
  pause: reasoned('pause'),
  resume: act(nothing, {}, () => ({ type: 'resume' })),
  undo: act(
    z.strictObject({
      to: z.int().min(0).max(9999).optional().meta({ description: 'The iteration to go back to' }),
    }),
    { to: 1 },
    ({ to = null }) => ({ type: 'undo', to }),
  ),
  update: act(z.strictObject({ resolve: z.boolean().optional() }), {}, ({ resolve }) => ({
    ...{ type: 'update', ...(resolve && { resolve }) },
  })),
  extend: act(
    z.strictObject({ more: z.int().min(1).max(mostAtOnce).optional() }),
    { more: 3 },
    ({ more = 5 }) => ({
      ...{ type: 'extend', more },
    }),
  ),
  verify: act(z.strictObject({ ci: z.boolean().optional() }), {}, ({ ci }) => ({
    ...{ type: 'verify', ...(ci && { ci }) },
  })),
  interrupt: reasoned('interrupt'),
  budget: act(
    z.strictObject({
      more: z.number().positive().max(1e12).meta({ description: 'In the unit of the limit' }),
      limit: z
        .enum(raisableLimits)
        .optional()
        .meta({ description: 'The one that is used up if it is absent' }),
    }),
    { more: 5, limit: 'cost_usd' },
    ({ more, limit = null }) => ({ type: 'budget', more, limit }),
  ),
  dismiss: act(
    z.strictObject({
      concern: z.string().regex(/^c\d{1,4}$/, 'expected such as c2'),
      reason: text.optional(),
    }),
    { concern: 'c2', reason: 'This is intended' },
    ({ concern, reason = '' }) => ({ type: 'dismiss', concern, reason }),
  ),
} satisfies Record<string, Act>;

function reasoned(type: 'deny' | 'abandon' | 'pause' | 'interrupt'): Act {
  return act(why, { reason: 'It is not needed any more' }, ({ reason = '' }) => ({ type, reason }));
}

/** The command with a block of such tasks, or what is wrong with them. */
function written(word: 'retry' | 'spawn', given: readonly Readonly<Record<string, unknown>>[]): Command {
  const read = given.map((fields) => readTaskFields(fields));
  const problems = read.flatMap((each, nth) =>
    'problem' in each
      ? `${read.length > 1 ? `task ${nth + 1}: ` : ''}${each.problem.replaceAll('\n', '; ')}`
      : [],
  );
  if (problems.length > 0)
    throw new Problem(422, `Nothing was done, because this is wrong: ${problems.join('; ')}.`);
  const tasks: readonly WrittenTask[] = read.flatMap((each) => ('tasks' in each ? each.tasks : []));
  const command = parseSlashCommand({ word, line: '', body: '' }, () =>
    tasks.length === 0 ? undefined : { tasks },
  );
  if (command === undefined || command.type === 'misspoken')
    throw new Problem(
      422,
      `Nothing was done, because this is wrong: ${command?.problem.replaceAll('\n', '; ')}.`,
    );
  return command;
}

/** What each field of a resolution is in a task. */
const fieldsOf = {
  retry: { modified_description: 'description', modified_criteria: 'acceptance_criteria' },
  spawn_new_task: {
    new_description: 'description',
    new_component: 'component',
    new_phase: 'kind',
    new_worker_profile: 'worker_profile',
    new_criteria: 'acceptance_criteria',
    new_dependencies: 'depends_on',
  },
  abandon: {},
} as const satisfies Record<z.output<typeof resolution>['action'], Readonly<Record<string, string>>>;

function resolved(
  { action, task_id, ...said }: z.output<typeof resolution>,
  { task: { id } }: State,
): Command {
  if (typeof task_id === 'string' && task_id !== id)
    throw new Problem(
      422,
      `The task that failed is ${id}, and not ${task_id}: leave task_id out, or correct it.`,
    );
  const keys: Readonly<Record<string, string>> = fieldsOf[action];
  const given = Object.entries(said).filter(([, value]) => value !== null && value !== undefined);
  const other = given.find(([name]) => !(name in keys))?.[0];
  if (other !== undefined)
    throw new Problem(422, `${other} does not belong to the action ${action}: leave it out.`);
  if (action === 'abandon') return { type: 'abandon', reason: '' };
  if (action === 'spawn_new_task' && typeof said.new_description !== 'string')
    throw new Problem(422, 'A new task needs new_description.');
  const changes = Object.fromEntries(given.map(([name, value]) => [keys[name], value]));
  return written(action === 'retry' ? 'retry' : 'spawn', given.length === 0 ? [] : [changes]);
}
