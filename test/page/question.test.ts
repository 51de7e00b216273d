import { expect, test } from 'vitest';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { commentIn, type FormInput } from '../../src/page/forms/form-input.ts';
import { runView } from '../../src/page/views/run-view.ts';
import type { OpenQuestion } from '../../src/steering/shapes/standing.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import { bob } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { textOf } from './reading.ts';
import { hostile, modelOf, speakerOf, usualView } from './samples.ts';

const at = '2025-03-03T12:00:00Z';
const hold = { iteration: 0, attempt: 1, holder: 'engine' };

function question(id: string, asked: Partial<OpenQuestion['asked']> = {}): OpenQuestion {
  const of = { iteration: 0, attempt: 1 };
  return {
    interaction: { id, kind: 'question', opened_at: at, head_sha: 'a', of },
    asked: { id, question: 'Which language?', ...asked },
    on_timeout: 'block',
  };
}

const choice = question('question:7:12', {
  options: ['Python', 'Go'],
  default: 'Go',
  context: 'Both are used.',
});

interface Shown {
  readonly state?: Partial<State>;
  readonly events?: readonly Event[];
  readonly input?: FormInput;
}

function draw(run: Story, { state, events = run.events, input }: Shown): string {
  const model = modelOf({ state: { ...run.state, ...state }, events, subjects: run.subjects });
  return runView({
    run: model,
    speaker: speakerOf(),
    view: usualView,
    input: input ?? null,
    news: null,
  }).text;
}

const working = () => story().starts().engine.takes();

test('what an agent asks comes before what it does, with its options as buttons and a field for any other answer', () => {
  const page = draw(working(), { state: { questions: [choice] } });
  expect(page).toContain('<span class="badge phase tone-warning">awaiting answer</span>');
  expect(textOf(page)).toMatch(/Where it stands Which language\? It adds: Both are used\./);
  expect(textOf(page)).toContain('The agent would choose: 2. Go');
  expect(page).toContain('>1. Python</button>');
  expect(page).toMatch(/<label for="answer-1-text">Or answer in your own words/);
  expect(page).toContain('The agent waits briefly.');
  expect(page.indexOf('Which language?')).toBeLessThan(page.indexOf(`id="at-work"`));
});

test('each button and each field posts an answer that names its question', () => {
  const questions = [choice, question('question:7:13', { question: 'Why?' })];
  const page = draw(working(), { state: { questions } });
  const forms = [...page.matchAll(/<form [^>]*id="answer-[\s\S]*?<\/form>/g)].map(([form]) =>
    Object.fromEntries(
      [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ),
  );
  const bodies = forms.map((fields) => commentIn({ command: '', text: 'Because', ...fields }));
  expect(bodies.map((body) => parseCommand(body))).toEqual([
    { type: 'answer', question: 'question:7:12', text: '1' },
    { type: 'answer', question: 'question:7:12', text: '2' },
    { type: 'answer', question: 'question:7:12', text: 'Because' },
    { type: 'answer', question: 'question:7:13', text: 'Because' },
  ]);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('an answer that was not accepted stays in the field of its question', () => {
  const questions = [choice, question('question:7:13')];
  const input = { command: 'answer', text: 'Neither', about: 'question:7:13' };
  const page = draw(working(), { state: { questions }, input });
  expect(page).toMatch(/<textarea id="answer-2-text"[^>]*>Neither<\/textarea>/);
  expect(page).toMatch(/<textarea id="answer-1-text"[^>]*><\/textarea>/);
});

test('an agent that was stopped says until when it waits, and where its work is', () => {
  const { interaction } = choice;
  const work = {
    head_before: 'a',
    head: 'c0ffee1'.padEnd(40, '0'),
    kept: null,
    refusal: 'it touches secrets',
  };
  const page = draw(working(), {
    state: {
      questions: [choice],
      standing: { phase: 'awaiting_answer', interaction, deadline: '2025-03-10T12:00:00Z' },
      parked: { iteration: 0, attempt: 1, because: 'question', work },
    },
  });
  expect(page).toContain('the run times out, but an answer still lets it continue');
  expect(page).toContain('only on the machine where it ran, because it touches secrets');
});

test('text of an agent stays text', () => {
  const asked = { question: hostile, context: hostile, options: [hostile, 'b'], default: hostile };
  const suggestion = { answer: hostile, by: hostile };
  const questions = [{ ...question('question:7:12', asked), suggestion }];
  const page = draw(working(), { state: { questions } });
  expect(page).not.toMatch(/<script>window|<img src=x/);
});

test('the history tells of questions, of answers and of agents that were stopped', () => {
  const run = working().apply({ type: 'question_asked', hold, asked: choice.asked });
  run.apply({ type: 'work_parked', hold, because: 'question', left: null, duration_s: 1 });
  run.says(bob, '/answer 2');
  const page = draw(run, {});
  for (const sentence of [
    'Ask people: Which language?',
    'Wait for an answer to the agent',
    'bob answered: Go',
  ])
    expect(page).toContain(sentence);
});
