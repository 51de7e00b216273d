import { expect, test } from 'vitest';
import { runView } from '../../src/page/views/run-view.ts';
import type { Evaluation, State } from '../../src/steering/state/state.ts';
import { ada, bob } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { textOf } from './reading.ts';
import { hostile, runModel, speakerOf, usualView } from './samples.ts';

const reviewed = (): Story => story().starts().works();

function draw(run: Story, changed: Partial<Evaluation> = {}): string {
  const { state } = run;
  if (state.shown === null) throw new Error('nothing has been verified');
  return drawState(run, { ...state, shown: { ...state.shown, ...changed } });
}

function drawState(run: Story, state: State): string {
  const outputs = { value: { head: state.head, verifiers: state.shown?.verifiers ?? [] } };
  const model = runModel(run, { state: { value: state }, outputs });
  return runView({
    ...{ run: model, speaker: speakerOf(), view: usualView, input: null, news: null },
  }).text;
}

function sectionOf(page: string, id: string): string {
  return new RegExp(`<section[^>]* id="${id}"[\\s\\S]*?</section>`).exec(page)?.[0] ?? '';
}

test('gates stand worst first, with a link to the line, and what approving them means', () => {
  const path = `src/${hostile}.ts`;
  const page = draw(reviewed(), {
    gates: [
      { rule: 'deletes-files', severity: 'high', evidence: 'src/old.ts is deleted' },
      {
        ...({ rule: 'touches-secrets', severity: 'critical', evidence: hostile, path, line: 7 } as const),
        allows: 'everybody can read it',
      },
    ],
  });
  const risk = sectionOf(page, 'gates');
  expect(textOf(risk)).toMatch(/Risk critical, from .* critical touches-secrets .* high deletes-files/);
  expect(risk).toContain(`href="https://github.com/acme/service/blob/`);
  expect(textOf(risk)).toContain('Approving it means: everybody can read it.');
  expect(page).not.toContain(hostile);
  expect(textOf(page.slice(0, page.indexOf('class="columns"')))).toContain('risk: critical');
});

test('what was found is on the page as a whole, also where a comment has no room for it', () => {
  const evidence = `it removes ${'a'.repeat(1500)} at the end`;
  const page = draw(reviewed(), { gates: [{ rule: 'deletes-files', severity: 'high', evidence }] });
  expect(textOf(sectionOf(page, 'gates'))).toContain(evidence);
});

test('the place of a gate is said once, as a link', () => {
  const [path, line] = ['db/1.sql', 2];
  const found = { rule: 'drops-data', severity: 'critical', path, line } as const;
  const page = draw(reviewed(), { gates: [{ ...found, evidence: `${path}:${line}: drop table users` }] });
  expect(textOf(sectionOf(page, 'gates'))).toMatch(/drops-data : db\/1\.sql:2 : drop table users/);
});

test('a high confidence does not lower the risk, nor a low one raise it', () => {
  expect(textOf(draw(reviewed()))).toMatch(/1\.00 high risk: low/);
  const run = reviewed();
  const confidence = { ...(run.state.shown?.confidence ?? never()), score: 0.3, band: 'low' } as const;
  expect(textOf(draw(run, { confidence }))).toMatch(/0\.30 low risk: low/);
});

test('a triggered gate stands in the status line and above Approve, which does not invite', () => {
  const gates = [
    { rule: 'installs-system-packages', severity: 'medium', evidence: 'apt-get install' },
    {
      ...({ rule: 'deletes-files', severity: 'high', path: 'test/sum.test.js', line: 8 } as const),
      evidence: `test/sum.test.js:8: rm ${hostile}`,
    },
  ] as const;
  const page = draw(reviewed(), { gates });
  const status = /<p id="phase"[\s\S]*?<\/p>/.exec(page)?.[0] ?? '';
  expect(textOf(status)).toContain(
    'Waiting for approval at high risk: deletes test/sum.test.js:8, and 1 more; confidence 1.00, high',
  );
  const commands = sectionOf(page, 'commands');
  const notice = commands.indexOf('id="approved-risk"');
  expect(notice).toBeGreaterThan(0);
  expect(notice).toBeLessThan(commands.indexOf('id="button-approve"'));
  expect(textOf(commands)).toMatch(
    /deletes-files \(high\): test\/sum\.test\.js:8 : rm .* installs-system-packages \(medium\): apt-get install/,
  );
  expect(page).not.toContain(hostile);
  const approve = /<form[^>]* id="button-approve">[\s\S]*?<\/form>/;
  expect(approve.exec(commands)?.[0]).toMatch(/<button class="danger"[^>]*>Approve anyway/);
  const usual = sectionOf(draw(reviewed()), 'commands');
  expect(usual).not.toContain('approved-risk');
  expect(approve.exec(usual)?.[0]).toMatch(/<button class="primary"[^>]*>Approve <code>/);
});

test.each([
  ['low', 'band-high'],
  ['medium', 'band-high'],
  ['high', 'tone-neutral'],
  ['critical', 'tone-neutral'],
] as const)('beside a risk that is %s, a high confidence is %s', (severity, look) => {
  const page = draw(reviewed(), { gates: [{ rule: 'drops-data', severity, evidence: 'drop' }] });
  const looks = [...page.matchAll(/class="badge (\S+)"><b>1\.00<\/b>/g)].map(([, each]) => each);
  expect(new Set(looks)).toEqual(new Set([look]));
});

test('rules that are switched off are there with their reasons', () => {
  const page = draw(reviewed(), { gates_off: [{ rule: 'drops-data', reason: hostile }] });
  expect(textOf(sectionOf(page, 'gates'))).toContain(
    'Switched off by the configuration: drops-data : &lt;script',
  );
  expect(page).not.toContain(hostile);
});

test('the proof says what each run is worth, and what was red before', () => {
  const results = { test: true, lint: false };
  const verifiers = Object.entries(results).map(([name, success]) => ({
    ...{ name, success, exit_code: success ? 0 : 1, timed_out: false },
  }));
  const red = { outcome: 'ran', verifiers, duration_s: 1 } as const;
  const run = reviewed();
  const [output] = run.state.shown?.verifiers ?? [];
  const page = draw(run, {
    verifiers: [{ ...(output ?? never()), name: 'lint', success: false, exit_code: 1 }],
    baseline: { base: 'b'.repeat(40), run: red },
    proof: {
      tests: ['a.test.ts'],
      old_tests: { outcome: 'skipped', why: hostile },
      without_change: { ...red, verifiers: verifiers.map((each) => ({ ...each, success: false })) },
    },
  });
  const text = textOf(sectionOf(page, 'confidence'));
  expect(text).toContain('Before this change, at bbbbbbb : red: lint fails (exit code 1)');
  expect(text).toContain('New tests without the change: red, as it should be: test fails');
  expect(text).toContain('Old tests, new code: not run: &lt;script');
  expect(textOf(sectionOf(page, 'verifiers'))).toContain('red before this change');
  expect(page).not.toContain(hostile);
  expect(draw(reviewed())).not.toContain('What the tests are worth');
});

test('the course of the confidence is told beside it, with what has changed', () => {
  const run = reviewed().says(bob, '/steer more');
  run.agent.finishes();
  run.verifiers.fail('test');
  run.works();
  expect(textOf(sectionOf(draw(run), 'iterations'))).toMatch(/ 1\.00 .* 0\.\d\d /);
  const course = textOf(sectionOf(draw(run), 'confidence'));
  expect(course).toMatch(/what changed 0 1\.00 high 1 0\.\d\d (high|medium) −0\.\d\d 1 attempt more/);
});

test('what only the agent says of itself is marked as its word', () => {
  const run = story().starts();
  run.agent.finishes({ summary: 'All is well.' });
  run.verifiers.pass();
  const page = draw(run);
  expect(textOf(sectionOf(page, 'report'))).toContain('the agent&#39;s word All is well.');
  expect(textOf(sectionOf(page, 'iterations'))).toContain('All is well. (the agent&#39;s word)');
});

test('what is missing says whose approval, and that people decide', () => {
  const authority = {
    ...{ owned: [], protected: [{ paths: ['infra/**'], by: [{ team: 'acme/core' }], files: [], count: 1 }] },
    problems: [hostile],
  };
  const page = draw(reviewed(), { authority });
  const text = textOf(sectionOf(page, 'policy'));
  expect(text).toMatch(
    /one approval from someone with write access one approval from @\u200bacme\/core for infra\/\*\*/,
  );
  expect(text).toContain(
    'nothing proceeds automatically because the configuration requires people to approve',
  );
  expect(textOf(sectionOf(page, 'phase-details'))).toMatch(/0 of 1 from @\u200bacme\/core for infra\/\*\*/);
  expect(page).toContain('These parts of CODEOWNERS could not be used:');
  expect(page).not.toContain(hostile);
});

test('the time until a run goes on by itself is on the page, and can be counted down', () => {
  const run = story({ approval: { mode: 'auto', on_timeout: 'proceed', on_timeout_written: true } });
  const page = draw(run.starts().works());
  const { standing } = run.state;
  const at = standing.phase === 'awaiting_approval' ? standing.proceeds?.at : undefined;
  expect(page).toContain(`<time datetime="${at}" data-countdown>3 Mar 2025, 12:`);
  expect(textOf(sectionOf(page, 'policy'))).toMatch(
    /or no response by .*, after which it proceeds .* timed 3 Mar 2025, 12:\d\d UTC , unless/,
  );
  expect(textOf(sectionOf(page, 'phase-details'))).toContain('New ground: 0 of 3 merged runs of this agent');
  expect(textOf(page)).not.toContain('has to decide');
});

test('what people are asked to agree to is on the page while they are asked', () => {
  const run = story({ approval: { finish: 'merge' } }).starts();
  expect(textOf(drawState(run, run.state))).not.toContain('Proposed');
  expect(textOf(sectionOf(draw(run.works()), 'policy'))).toMatch(
    /Proposed: merge #\d+ into main at [0-9a-f]{7} , asked 3 Mar 2025, .* at low risk/,
  );
  const asking = story().starts().agent.isHeld();
  expect(textOf(sectionOf(drawState(asking, asking.state), 'policy'))).toMatch(
    /Proposed: push [0-9a-f]{7} to coxswain\//,
  );
  run.says(bob, '/interrupt');
  expect(textOf(sectionOf(draw(run), 'policy'))).toContain(
    'continue with /retry, /spawn, /steer or /approve',
  );
});

test('whoever approves is told that this merges', () => {
  const run = story({ approval: { finish: 'merge' } })
    .starts()
    .works();
  expect(textOf(sectionOf(draw(run), 'policy'))).toContain(
    'Once approved, Coxswain merges it into main (squash, unless a merge queue decides).',
  );
  expect(textOf(draw(run.says(ada, '/approve')))).not.toContain('Once approved');
  expect(textOf(draw(reviewed()))).not.toContain('Once approved');
});

test('an approval by policy is shown as one', () => {
  const run = story({ approval: { mode: 'confidence_threshold', threshold: 0.8, new_history: 0 } });
  const text = textOf(draw(run.starts().works()));
  expect(text).toContain('Approved by policy (confidence_threshold); running the final check');
  const { standing } = run.state;
  if (standing.phase !== 'approved') throw new Error('nobody approved it');
  const finished = { ...run.state, standing: { ...standing, finish: 'finished' } } as const;
  expect(textOf(drawState(run, finished))).toContain(
    'approved by policy: confidence_threshold , the confidence reaches the threshold of 0.8, at 2025-',
  );
  expect(text).not.toContain('missing 0 of 1');
});

function never(): never {
  throw new Error('the story has a verified commit');
}
