import { describe, expect, test } from 'vitest';
import { deadlines } from '../../src/steering/handlers/deadlines.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { advisableTo, possibleIn } from '../../src/steering/phases/table.ts';
import { usualQuestions } from '../../src/steering/shapes/question.ts';
import { shownPhase } from '../../src/steering/shapes/standing.ts';
import { ada, bob, type Choices, rea, robot, sha } from './samples.ts';
import { type Story, story } from './story.ts';

const languages = ['Python', 'Rust'];

function wondering(choices: Choices = {}): Story {
  return story(choices).starts().agent.wonders('Which language?', languages);
}

function parked(choices: Choices = {}): Story {
  return wondering(choices).agent.parks();
}

function replyIn(run: Story): string | undefined {
  return run.state.interactions.findLast(({ kind }) => kind === 'question')?.reply;
}

describe('an answer', () => {
  test.each(['/answer 2', '/answer 2.', '/answer Rust', '/answer  rust '])(
    '%j is the second option',
    (text) => {
      expect(replyIn(wondering().says(ada, text))).toBe('Rust');
    },
  );

  test('is also a click on its button, whatever was pushed since', () => {
    expect(replyIn(parked().clicks(ada, 'answer 2'))).toBe('Rust');
    const run = parked();
    const before = run.state.head;
    expect(replyIn(run.pushes(bob).clicks(ada, 'answer 2', { head_sha: before }))).toBe('Rust');
  });

  test('to an option that does not exist is refused with those that do', () => {
    const run = wondering().says(ada, '/answer 7');
    expect(run.refusal).toEqual({ why: 'no_such_option', named: '7', options: languages });
    expect(run.state.questions).toHaveLength(1);
  });

  test('is any text of people with write, even where there are options', () => {
    expect(replyIn(wondering().says(ada, '/answer Go\nwith modules'))).toBe('Go\nwith modules');
  });

  test.each([
    ['/answer 1, 3', 'a, c'],
    ['/answer 3 1 3', 'c, a'],
    ['/answer b', 'b'],
    ['/answer none, really', 'none, really'],
  ])('%j chooses several where that is possible', (text, reply) => {
    const run = story().starts().agent.wonders('Which?', ['a', 'b', 'c'], { multiple: true });
    expect(replyIn(run.says(ada, text))).toBe(reply);
  });

  test('of commas alone is no choice, and chooses nothing for whoever may only choose', () => {
    const tess = { ...rea, login: 'tess', id: 9, role: 'triage' } as const;
    const run = story({ answers: { by: [{ role: 'triage' }] } }).starts();
    run.agent.wonders('Which?', ['a', 'b'], { multiple: true });
    for (const text of [',', ', ,', '１', '1e0', '+1'])
      expect(run.says(tess, `/answer ${text}`).refusal).toMatchObject({ why: 'options_only' });
    expect(run.state.questions).toHaveLength(1);
  });

  test('is an option that reads like a number which no option has', () => {
    const run = story().starts().agent.wonders('How many?', ['16', '32']);
    expect(replyIn(run.says(ada, '/answer 32'))).toBe('32');
  });

  test('with one of several options that does not exist changes nothing', () => {
    const run = story().starts().agent.wonders('Which?', ['a', 'b'], { multiple: true });
    expect(run.says(ada, '/answer 1, 7').refusal).toMatchObject({ why: 'no_such_option', named: '7' });
  });

  test('of a bot is not heard', () => {
    const run = wondering();
    const { seq } = run.state;
    expect(run.says(robot, '/answer 1').state.seq).toBe(seq);
  });

  test('makes its author somebody who has shaped the work', () => {
    expect(wondering().says(bob, '/answer 1').state.contributors).toMatchObject([{ login: 'bob' }]);
  });

  test('is the first one: whoever is second is told so, with who said what', () => {
    const run = wondering().says(ada, '/answer 1').says(bob, '/answer 2');
    expect(run.refusal).toEqual({ why: 'already_answered', by: 'ada', how: 'answered', reply: 'Python' });
    expect(replyIn(run)).toBe('Python');
  });

  test('is not to the next question if its author may have read the one before', () => {
    const run = wondering();
    run.agent.wonders('Which version?', ['1', '2']).says(bob, '/answer Python');
    run.now -= 58_000;
    expect(run.says(ada, '/answer 2').refusal).toMatchObject({ why: 'already_answered', reply: 'Python' });
    run.now += 58_000;
    expect(replyIn(run.says(ada, '/answer 2'))).toBe('2');
  });

  test('can name its question, and that of another run or one that is settled is refused', () => {
    const run = wondering().agent.wonders('Which version?', ['old', 'new']);
    const [first, second] = run.state.questions ?? [];
    run.says(ada, `/answer ${second?.interaction.id} 2`);
    expect(replyIn(run)).toBe('new');
    expect(run.state.questions).toEqual([first]);
    expect(run.says(ada, '/answer question:8:3 1').refusal).toEqual({
      why: 'no_question',
      named: 'question:8:3',
    });
    expect(run.says(bob, `/answer ${second?.interaction.id} 1`).refusal).toMatchObject({
      why: 'already_answered',
      by: 'ada',
    });
  });

  test('that is written before anything was asked is not to what was asked since', () => {
    const run = wondering();
    run.now -= 100_000;
    expect(run.says(ada, '/answer 1').refusal).toEqual({ why: 'just_asked' });
  });

  test('where nothing is asked is refused, and not recommended', () => {
    const run = story().starts().engine.takes();
    expect(possibleIn(run.state)).not.toContain('answer');
    expect(run.says(ada, '/answer 1').refusal).toEqual({ why: 'no_question' });
  });
});

describe('below write', () => {
  const tess = { ...rea, login: 'tess', id: 9, role: 'triage' } as const;
  const choices: Choices = { answers: { by: [{ role: 'triage' }] } };

  test('people answer only if the configuration says so, and then only with options', () => {
    expect(wondering().says(tess, '/answer 1').refusal).toMatchObject({ why: 'not_permitted' });
    expect(replyIn(wondering(choices).says(tess, '/answer 1'))).toBe('Python');
    const refusal = { why: 'options_only', options: languages };
    expect(wondering(choices).says(tess, '/answer whatever you like').refusal).toEqual(refusal);
    expect(wondering(choices).says(rea, '/answer 1').refusal).toMatchObject({ why: 'not_permitted' });
  });

  test('an answer is recommended only where there are options', () => {
    const at = '2025-03-03T13:00:00Z';
    expect(advisableTo(wondering(choices).state, { by: tess, at })).toContain('answer');
    const free = story(choices).starts().agent.wonders('Why?');
    expect(advisableTo(free.state, { by: tess, at })).not.toContain('answer');
    expect(advisableTo(free.state, { by: ada, at })).toContain('answer');
  });

  test('an answer does not lift the pause of somebody who may say /pause', () => {
    const run = parked(choices).says(ada, '/pause').says(tess, '/answer 1');
    expect(replyIn(run)).toBe('Python');
    expect(run.phase).toBe('paused');
    expect(run.says(ada, '/resume').phase).toBe('queued');
  });

  test('nobody with write loses the right to answer by it', () => {
    const named = wondering({ answers: { by: [{ login: 'tess' }] } });
    expect(replyIn(named.says(ada, '/answer 1'))).toBe('Python');
  });
});

describe('questions', () => {
  test('have names of their own, and show that the run waits', () => {
    const run = wondering();
    expect(run.state.questions?.[0]?.interaction).toMatchObject({
      ...{ id: 'question:7:3', kind: 'question', of: { iteration: 0, attempt: 1 } },
    });
    expect(shownPhase(run.state)).toBe('awaiting_answer');
    expect(openInteraction(run.state)?.id).toBe('question:7:3');
  });

  test('are three at a time, and 25 in a run', () => {
    const run = story().starts();
    for (const n of [1, 2, 3, 4]) run.agent.wonders(`Question ${n}?`);
    expect(run.state.questions).toHaveLength(3);
    for (const _ of [1, 2, 3]) run.says(ada, '/answer yes');
    for (let n = 4; n <= 26; n++) run.agent.wonders(`Question ${n}?`).says(ada, '/answer yes');
    expect(run.state.interactions.filter(({ kind }) => kind === 'question')).toHaveLength(25);
    expect(run.state.questions).toEqual([]);
  });

  test('are asked by the holder of the lease only', () => {
    const run = story().starts().engine.takes();
    const hold = { ...run.hold, holder: 'another' };
    run.apply({ type: 'question_asked', hold, asked: { id: 'ask-1', question: 'Which?' } });
    expect(run.state.questions).toBeUndefined();
  });

  test('that were answered in this iteration are answered again without asking', () => {
    const run = wondering().says(ada, '/answer 2').agent.wonders('Which language?', languages);
    expect(run.state.questions).toEqual([]);
    expect(run.state.interactions).toMatchObject([
      { by: 'ada', reply: 'Rust' },
      { by: 'ada', reply: 'Rust', how: 'answered' },
    ]);
    expect(run.state.interactions[0]?.id).not.toBe(run.state.interactions[1]?.id);
  });

  test('with another context, or other options, are others', () => {
    const run = wondering().says(ada, '/answer 2');
    run.agent.wonders('Which language?', languages, { context: 'for the tests' });
    run.agent.wonders('Which language?', ['Go']);
    expect(run.state.questions).toHaveLength(2);
    expect(run.state.questions?.[0]?.suggestion).toBeUndefined();
  });

  test('but not for ever, at no cost to the budget', () => {
    const run = wondering().says(ada, '/answer 1');
    for (let nth = 0; nth < 40; nth++) run.agent.wonders('Which language?', languages);
    expect(run.state.interactions.filter(({ kind }) => kind === 'question')).toHaveLength(25);
  });

  test('have an earlier answer only as a suggestion in another iteration', () => {
    const run = wondering().says(ada, '/answer 2').works().says(ada, '/steer more');
    run.agent.wonders('Which language?', languages);
    expect(run.state.questions?.[0]?.suggestion).toEqual({ answer: 'Rust', by: 'ada' });
  });

  test('have it only as a suggestion after the agent was told something', () => {
    const run = wondering({ agent: { use: 'claude', timeout_s: 60 } }).says(ada, '/answer 2');
    run.says(ada, '/steer --now use what you like').agent.wonders('Which language?', languages);
    expect(run.state.questions?.[0]?.suggestion).toEqual({ answer: 'Rust', by: 'ada' });
    run.says(ada, '/answer 1').agent.isTold('injected').agent.wonders('Which language?', languages);
    expect(run.state.questions?.[0]?.suggestion).toEqual({ answer: 'Python', by: 'ada' });
  });

  test('that the agent gives up are settled', () => {
    const run = story().starts().agent.wonders('Why?', undefined, { id: 'ask-1' });
    run.apply({ type: 'question_withdrawn', hold: run.hold, question: 'ask-1' });
    expect(run.state.questions).toEqual([]);
    expect(run.state.interactions).toMatchObject([{ how: 'the agent withdrew it' }]);
    expect(run.says(ada, '/answer x').refusal).toMatchObject({ why: 'already_answered', by: 'coxswain' });
  });

  test.each([
    ['/steer otherwise', 'queued'],
    ['/interrupt', 'awaiting_resolution'],
    ['/cancel', 'cancelled'],
    ['/reject no', 'rejected'],
  ])('are withdrawn by %s', (text, phase) => {
    const run = parked().says(ada, text);
    expect(run.phase).toBe(phase);
    expect(run.state.questions).toEqual([]);
    expect(run.state.interactions[0]).toMatchObject({ kind: 'question', by: 'ada' });
    expect(run.state.interactions[0]?.reply).toBeUndefined();
  });

  test('never let a run be approved while they are open', () => {
    const run = wondering({ approval: { mode: 'auto' } }).works();
    expect(run.phase).toBe('awaiting_answer');
    expect(run.says(bob, '/approve').refusal).toMatchObject({ why: 'nothing_to_approve' });
    expect(run.says(ada, '/answer 1').state.standing).toEqual({ phase: 'queued', work: 'attempt' });
    expect(run.state.attempts_used).toBe(0);
  });

  test.each<[string, (run: Story) => Story]>([
    ['fails', (run) => run.agent.fails()],
    ['does not pass the verifiers', (run) => run.agent.finishes().verifiers.fail('test')],
    ['has changed nothing', (run) => run.agent.finishes({ changesNothing: true })],
    ['has finished for another head', (run) => run.pushes(bob).agent.finishes({}, run.hold)],
  ])('are still to be answered if the agent %s', (_, ends) => {
    const run = ends(wondering());
    if (run.phase === 'verifying') run.verifiers.pass();
    expect(run.phase).toBe('awaiting_answer');
    expect(run.says(ada, '/answer 1').state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  });

  test('that are answered while the work is verified let the agent go on', () => {
    const run = wondering().agent.finishes().says(ada, '/answer 1');
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  });

  test('are no longer it where people have to decide how to continue', () => {
    const run = wondering().agent.fails('cannot', 'It is impossible.');
    expect(run.phase).toBe('awaiting_resolution');
    expect(run.state.questions).toEqual([]);
    expect(run.state.interactions).toMatchObject([{ how: 'people decide how to continue' }]);
  });

  test('wait for held work to be decided about', () => {
    const run = wondering().agent.isHeld();
    expect(possibleIn(run.state)).not.toContain('answer');
    expect(run.says(ada, '/answer 1').refusal).toMatchObject({ why: 'not_now' });
    run.says(bob, '/allow').engine.lands().verifiers.pass();
    expect(run.phase).toBe('awaiting_answer');
  });
});

describe('when nobody answers in time', () => {
  const week = 7 * 24;
  const on = (on_timeout: 'default' | 'block' | 'fail'): Choices => ({
    questions: { ...usualQuestions, on_timeout },
  });
  const asking = (choices: Choices, ...asked: readonly Parameters<Story['agent']['wonders']>[2][]): Story => {
    const run = story(choices).starts();
    for (const [nth, each] of asked.entries()) run.agent.wonders(`Which ${nth}?`, languages, each);
    return run.agent.parks();
  };

  test('there are reminders, and the deadline is the one of questions', () => {
    const run = parked();
    const kinds = deadlines(run.state).map(({ kind }) => kind);
    expect(kinds).toEqual(['reminder', 'reminder', 'question']);
    const hours = (Date.parse(run.deadline ?? '') - Date.parse(run.state.updated_at)) / 3_600_000;
    expect(hours).toBe(week);
    expect(run.waits(24 * 6).phase).toBe('awaiting_answer');
  });

  test('every word of a person starts the time anew', () => {
    const run = parked();
    const { deadline } = run;
    expect(Date.parse(run.says(ada, '/status').deadline ?? '')).toBeGreaterThan(Date.parse(deadline ?? ''));
  });

  test('a run times out, and still hears the answer', () => {
    const run = parked().waits(week);
    expect(run.phase).toBe('timed_out');
    expect(run.says(ada, '/answer 1').state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  });

  test('a run that timed out asks again with /resume, and is not verified for what is pushed', () => {
    const run = parked().waits(week).pushes(bob).retargets(bob, 'release');
    expect(run.phase).toBe('timed_out');
    expect(run.says(ada, '/resume').phase).toBe('awaiting_answer');
    expect(run.says(ada, '/answer 1').state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  });

  test('the default is taken, and recorded as what nobody chose', () => {
    const run = asking(on('default'), { default: 'Rust' }).waits(week);
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
    expect(run.state.interactions).toMatchObject([{ by: 'coxswain', how: 'nobody answered', reply: 'Rust' }]);
  });

  test('people decide how to continue where it says fail', () => {
    const run = asking(on('fail'), {}).waits(week);
    expect(run.state.standing).toMatchObject({ interrupt: { type: 'unanswered' } });
    expect(run.state.questions).toEqual([]);
  });

  test('an agent can only be stricter, and the strictest of several counts', () => {
    const both = { default: 'Rust' };
    expect(asking(on('block'), { ...both, on_timeout: 'default' }).waits(week).phase).toBe('timed_out');
    expect(asking(on('default'), both, { ...both, on_timeout: 'block' }).waits(week).phase).toBe('timed_out');
    expect(asking(on('default'), both, {}).waits(week).phase).toBe('timed_out');
    const strictest = asking(on('default'), both, { ...both, on_timeout: 'fail' }).waits(week);
    expect(strictest.phase).toBe('awaiting_resolution');
  });

  test('a default that nobody chose is not suggested as an answer', () => {
    const run = asking(on('default'), { default: 'Rust' }).waits(week).works().says(ada, '/steer more');
    run.agent.wonders('Which 0?', languages, { default: 'Rust' });
    expect(run.state.questions?.[0]?.suggestion).toBeUndefined();
  });
});

test('of two questions the second is on show once the first is answered', () => {
  const run = wondering().agent.wonders('Which version?').agent.parks();
  const [first, second] = run.state.questions ?? [];
  expect(openInteraction(run.state)?.id).toBe(first?.interaction.id);
  run.says(ada, '/answer 1');
  expect(run.phase).toBe('awaiting_answer');
  expect(openInteraction(run.state)?.id).toBe(second?.interaction.id);
  expect(run.says(ada, '/answer 3').state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  expect(run.state.interactions.map(({ reply }) => reply)).toEqual(['Python', '3']);
  expect(run.state.head).toBe(sha(0));
});
