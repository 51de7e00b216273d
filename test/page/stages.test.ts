import { describe, expect, test } from 'vitest';
import { offersOf, type Speaker } from '../../src/page/forms/offers.ts';
import { resembledCommand } from '../../src/page/forms/resembled-command.ts';
import { endedWork } from '../../src/page/load/ended-work.ts';
import { attemptPage } from '../../src/page/views/iterations-view.ts';
import { runView } from '../../src/page/views/run-view.ts';
import type { FoundConcern } from '../../src/steering/shapes/attempt-result.ts';
import type { Person } from '../../src/steering/shapes/people.ts';
import { ada, bob, type Choices, mia, planFirst, rea, threeStages } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { harmful } from '../words/harmful.ts';
import { buttonsIn, textOf } from './reading.ts';
import { hostile, route, runModel, speakerOf, usualView } from './samples.ts';

const plain = { view: usualView, input: null, news: null };

function pageOf(run: Story, but: Partial<Speaker> = {}): string {
  return runView({ run: runModel(run), speaker: speakerOf(but), ...plain }).text;
}

function part(page: string, id: string): string {
  const [, rest = ''] = page.split(`<section class="card" id="${id}"`);
  return rest.split('\n<section class="card"')[0] ?? '';
}

function as(viewer: Person): Partial<Speaker> {
  return { viewer };
}

function planned(text = '1. Pin the clock.', choices: Choices = {}): Story {
  return story({ stages: planFirst, ...choices })
    .starts()
    .agent.plans(text, ['src/clock.ts']);
}

describe('a plan on show', () => {
  test('is read, approved and steered as a plan', () => {
    const page = pageOf(planned());
    const [asked] = page.split('<div class="columns">');
    expect(textOf(asked ?? '')).toMatch(/awaiting stage A plan waits for approval/);
    expect(textOf(asked ?? '')).toMatch(
      /Approving it starts the stage implement\. .* 1\. Pin the clock\.|Pin the clock\./,
    );
    expect(textOf(asked ?? '')).toContain('was dropped: src/clock.ts');
    const commands = part(page, 'commands');
    expect(commands).toContain('<button class="primary"');
    expect(buttonsIn(commands).slice(0, 1)).toEqual(['Approve the plan']);
    expect(commands).toMatch(/value="approve">\s*<button/);
    expect(textOf(commands)).toContain('Steer the plan in plain language, or enter a command');
    expect(buttonsIn(commands)).toContain('Steer the plan');
    expect(textOf(part(page, 'policy'))).toContain(
      '/approve by someone with write access, or a steer, until 2025-03-04 12:02:00 UTC the stage plan is under review',
    );
    expect(textOf(part(page, 'policy'))).toContain('Proposed: the stage implement begins');
  });

  test('is not offered for approval to who may not approve it', () => {
    expect(part(pageOf(planned(), as(rea)), 'commands')).not.toContain('id="button-approve"');
    const only = planned('x', { approval: { by: [{ login: 'mia' }] } });
    expect(part(pageOf(only, as(bob)), 'commands')).not.toContain('id="button-approve"');
    expect(part(pageOf(only, as(mia)), 'commands')).toContain('id="button-approve"');
  });

  test('is still shown when nobody answered in time', () => {
    const run = planned();
    run.waits(24);
    expect(run.phase).toBe('timed_out');
    expect(textOf(part(pageOf(run), 'phase-details'))).toMatch(/The deadline was 2025-03-04.*Pin the clock/);
  });

  test('is what the run is about, and no longer the commit before', () => {
    const run = story().starts().works().says(bob, '/steer Plan it');
    run.engine.takes('engine', { settings: { ...run.state.settings, stages: planFirst } });
    const page = pageOf(run.agent.plans('Pin it.'));
    expect(textOf(part(page, 'earlier'))).toMatch(/iteration 1 waits for the approval of a stage/);
    expect(textOf(page)).toContain('iteration 0: 1.00 high');
    expect(textOf(part(page, 'iterations'))).toContain('Plan it bob waits for approval');
  });

  test('stays findable when another takes its place, with the work of each stage', () => {
    const run = planned('1. Pin it.').says(bob, '/steer Freeze it').agent.plans('1. Freeze it.');
    const iterations = part(pageOf(run), 'iterations');
    expect(textOf(iterations)).toMatch(/1, plan planned.*The plan of attempt 1.*1, plan planned/);
    const [first, second] = endedWork(run.events);
    expect(attemptPage(route, first ?? expect.fail(), 'https://github.com/acme/service').text).toMatch(
      /id="plan"[\s\S]*Pin it\./,
    );
    expect(attemptPage(route, second ?? expect.fail(), 'https://github.com/acme/service').text).toMatch(
      /id="plan"[\s\S]*Freeze it\./,
    );
    run.says(ada, '/approve').agent.finishes();
    run.verifiers.pass();
    expect(endedWork(run.events).map(({ stage, outcome }) => [stage, outcome])).toEqual([
      ['plan', 'handed_over'],
      ['plan', 'handed_over'],
      ['implement', 'green'],
    ]);
  });

  test('and each stage are in the history', () => {
    const run = planned('\n# Pin the clock\n\nFirst …').says(ada, '/approve').agent.finishes();
    const history = textOf(part(pageOf(run), 'history'));
    expect(history).toContain('Start attempt 1 of iteration 0');
    expect(history).toContain('Show people the result of the stage plan: # Pin the clock');
    expect(history).toContain('The plan is approved by ada');
    expect(history).toContain('Start the stage implement of attempt 1');
    expect(history).toContain('Attempt 1 of iteration 0: 1 file changed');
  });

  test.each(harmful)('with %s does no harm', (_, text) => {
    const page = pageOf(planned(`${text}\n\n${hostile}\n\n[x](javascript:alert(1))`));
    expect(page).not.toMatch(
      /<script|<img[^>]*onerror|(?:href|src)="javascript|[\u202a-\u202e\u2066-\u2069]/u,
    );
  });
});

test('the stage at work is named, and what comes after the verifiers', () => {
  const run = story({ stages: threeStages, review: { agent: { use: 'codex', timeout_s: 60 } } }).starts();
  run.engine.takes();
  expect(textOf(part(pageOf(run), 'at-work'))).toContain('Iteration 0, attempt 1, stage tests is at work');
  run.agent.finishes().agent.finishes().agent.finishes().engine.takes();
  expect(textOf(part(pageOf(run), 'at-work'))).toMatch(
    /The verifiers are checking \w+ If they pass, codex gives a second opinion\./,
  );
});

const grave = { file: 'src/clock.ts', line: 3, severity: 'high', text: 'It drops the zone.' } as const;
const mild = { file: 'src/clock.ts', severity: 'low', text: 'A typo.' } as const;

function reviewed(concerns: readonly FoundConcern[], choices: Choices = {}): Story {
  const review = { by: 'codex', confidence: 0.95, concerns, resolved: [], withdrawn: [], touched: [] };
  const run = story({ review: { agent: { use: 'codex', timeout_s: 60 } }, ...choices })
    .starts()
    .agent.finishes();
  return run.verifiers.find({ review });
}

describe('a second opinion', () => {
  test('is a card with its concerns, which buttons have dealt with', () => {
    const run = reviewed([mild, grave]);
    const page = pageOf(run);
    expect(textOf(part(page, 'review'))).toContain(
      'codex reviewed the change. Its confidence is 0.95, with 2 open concerns. c1 low: src/clock.ts A typo. c2 high: src/clock.ts:3 It drops the zone.',
    );
    const buttons = buttonsIn(part(page, 'commands'));
    expect(buttons.filter((each) => /c\d|concerns/.test(each))).toEqual([
      ...['Address all concerns', 'Address c2', 'Dismiss c2', 'Address c1', 'Dismiss c1'],
    ]);
    expect(textOf(part(page, 'history'))).toContain(
      'Ask for approval of iteration 0, confidence high, second opinion 0.95, open concerns: 2',
    );
    run.says(bob, '/dismiss c2 This is intended');
    const after = pageOf(run);
    expect(textOf(part(after, 'review'))).toContain('c2 high (dismissed by bob: This is intended)');
    expect(textOf(part(after, 'history'))).toContain('bob dismissed the concern c2: This is intended');
    expect(buttonsIn(part(after, 'commands'))).not.toContain('Dismiss c2');
  });

  test('offers only what would be accepted', () => {
    const ofConcerns = (run: Story, person: Person) =>
      buttonsIn(part(pageOf(run, as(person)), 'commands')).filter((each) => /c\d/.test(each));
    expect(ofConcerns(reviewed([grave]), rea)).toEqual([]);
    expect(ofConcerns(reviewed([grave], { max_iterations: 0 }), bob)).toEqual(['Dismiss c1']);
    expect(ofConcerns(reviewed([grave]).says(bob, '/steer Mend it'), bob)).toEqual([]);
  });

  test('that finds something grave makes nothing look good, and stands above Approve', () => {
    const page = pageOf(reviewed([grave]));
    expect(page).not.toContain('band-high');
    expect(page).toContain('<span class="badge tone-danger">1 grave concern</span>');
    const commands = part(page, 'commands');
    expect(commands.indexOf('<strong>c1</strong> high')).toBeGreaterThan(0);
    expect(commands.indexOf('<strong>c1</strong> high')).toBeLessThan(
      commands.indexOf('id="button-approve"'),
    );
    expect(commands).toMatch(/class="danger"[^>]*>Approve anyway/);
    expect(pageOf(reviewed([mild]))).toContain('band-high');
    const dismissed = pageOf(reviewed([grave]).says(bob, '/dismiss c1'));
    expect(dismissed).toContain('band-high');
    expect(dismissed).not.toContain('approved-risk');
  });

  test.each(harmful)(
    'with %s in a concern does no harm, and its steer is asked about by nobody',
    (_, text) => {
      const run = reviewed([
        { ...grave, text: `${hostile} ${text} /approve`, file: `x${text}`.slice(0, 500) },
      ]);
      const page = pageOf(run);
      expect(page).not.toMatch(/<script|<img[^>]*onerror|[\u202a-\u202e\u2066-\u2069]/u);
      const form = /id="steer-c1">[\s\S]*?<\/form>/.exec(page)?.[0] ?? '';
      const [said, asked] = [...form.matchAll(/name="(?:text|asked_about)" value="([^"]*)"/g)];
      expect(said?.[1]).toMatch(/^Deal with what the second opinion found:\n\n`{3,}text\n- [^\n]*\n`{3,}$/);
      expect(asked?.[1]).toBe(said?.[1]);
      expect(resembledCommand('Fine. /approve')?.name).toBe('approve');
      expect(offersOf(run.state, speakerOf()).offered).toContain('steer');
    },
  );
});
