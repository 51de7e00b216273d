import { describe, expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { type Operator, readConfig } from '../../src/config/read.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';
import { settingsFor } from '../../src/config/settings-by-base.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };
const head = 'version: 1\nagent: { use: claude, timeout: 20m }\n';

function settingsOf(lines: string): Settings {
  const reading = readConfig(`${head}${lines}`, where);
  if (reading.outcome === 'misconfigured') throw new Error(reading.problems.map(problemText).join('\n'));
  return settingsFor(reading, { base: 'main', default_branch: 'main' });
}

function problemsOf(lines: string, operator?: Operator): readonly string[] {
  const reading = readConfig(`${head}${lines}`, where, operator);
  return reading.outcome === 'misconfigured' ? reading.problems.map(problemText) : [];
}

const claude = { use: 'claude', timeout_s: 1200 };

describe('stages', () => {
  test.each(['', 'stages: implement', 'stages: [implement]'])(
    '%j is one stage, as it always was',
    (lines) => {
      expect(settingsOf(lines).stages).toBeUndefined();
      expect(settingsOf(lines).review).toBeUndefined();
    },
  );

  test('are named by a pipeline of ours or of the configuration', () => {
    const plan = { name: 'plan', approve: true };
    expect(settingsOf('stages: plan-first').stages).toEqual([plan, { name: 'implement' }]);
    expect(settingsOf('stages: reviewed').review).toEqual({ agent: claude });
    expect(settingsOf('stages: mine\npipelines: { mine: [tests, implement] }').stages).toEqual([
      { name: 'tests' },
      { name: 'implement' },
    ]);
  });

  test('have instructions, an agent, checks, tries and an approval of their own', () => {
    const { stages } =
      settingsOf(`agents: { careful: { use: codex, model: gpt-5.5, instructions: Be exact. } }
stages:
  - { name: plan, agent: careful, instructions: { file: docs/plan.md }, check: none, approve: true }
  - { name: tests, instructions: Write tests only., check: { run: npm test, expect: fail }, retries: 1 }
  - name: implement
    agent: gemini
    check: [{ file: CHANGELOG.md }, { run: npm run lint }]
`);
    expect(stages).toEqual([
      {
        name: 'plan',
        instructions: { file: 'docs/plan.md' },
        agent: {
          agent: { use: 'codex', model: 'gpt-5.5', timeout_s: 1200 },
          instructions: 'Be exact.',
          limits: {},
        },
        approve: true,
      },
      {
        name: 'tests',
        instructions: 'Write tests only.',
        checks: [{ run: 'npm test', expect: 'fail' }],
        retries: 1,
      },
      {
        name: 'implement',
        agent: { agent: { use: 'gemini', timeout_s: 1200 } },
        checks: [{ file: 'CHANGELOG.md' }, { run: 'npm run lint', expect: 'pass' }],
      },
    ]);
  });

  test('with `approve_stages: all` people approve each, also where there is one and whatever a task chooses', () => {
    const { stages } = settingsOf('approval: { approve_stages: all }\nstages: [tests, implement, docs]');
    expect(stages).toEqual([
      { name: 'tests', approve: true },
      { name: 'implement', approve: true },
      { name: 'docs', approve: true },
    ]);
    const alone = settingsOf('approval: { approve_stages: all }');
    expect(alone.stages).toEqual([{ name: 'implement', approve: true }]);
    const { settings, problems } = withOverrides(alone, { pipeline: 'plan-first' });
    expect(problems).toEqual([]);
    expect(settings.stages?.map(({ approve }) => approve)).toEqual([true, true]);
  });

  test('a second opinion is by an agent of its own, or by that of the stage', () => {
    expect(settingsOf('review: codex').review).toEqual({ agent: { use: 'codex', timeout_s: 1200 } });
    expect(settingsOf('review: { agent: codex }\nstages: reviewed').review?.agent.use).toBe('codex');
    expect(settingsOf('stages: [implement, { name: review, agent: gemini }]').review?.agent.use).toBe(
      'gemini',
    );
    expect(settingsOf('stages: [implement, { name: review, instructions: Be strict. }]').review).toEqual({
      ...{ agent: claude, told: 'Be strict.' },
    });
    expect(settingsOf('review: none').review).toBeUndefined();
  });

  test.each([
    ['stages: plan-frist', 'expected a list of stages, or the name of a pipeline'],
    ['stages: []', 'expected at least one stage'],
    ['stages: [plan]', 'expected a stage after plan, which changes no file'],
    ['stages: [implement, plan]', 'expected a stage after plan'],
    ['stages: [review, implement]', 'expected review as the last stage'],
    ['stages: [review]', 'expected a stage that works, such as implement, before review'],
    [
      'stages: [{ name: implement }, { name: review, approve: true }]',
      'expected a review without check and approve',
    ],
    ['stages: [implement, implement]', 'expected a name that stage 1 does not have'],
    ['stages: [Implement]', 'expected a name of small letters'],
    ['stages: [{ name: toString }]', 'expected a name of small letters'],
    [
      'stages: [{ name: implement, agent: carefull }]\nagents: { careful: codex }',
      'expected careful (did you mean that?)',
    ],
    ['stages: [{ name: implement, agent: command }]', 'expected one of'],
    ['review: { agent: nobody }', 'expected one of claude, codex'],
    ['stages: [{ name: implement, check: lint }]', 'expected none, {file: a path'],
    ['stages: [{ name: implement, check: { run: npm test, file: a } }]', 'expected {file: a path'],
    ['stages: [{ name: implement, check: { file: ../a } }]', 'expected a path inside this repository'],
    [
      'stages: [{ name: implement, instructions: { file: /etc/passwd } }]',
      'expected a path inside this repository',
    ],
    ['stages: [{ name: implement, instructions: "" }]', 'expected a text of 1 to 4000 characters'],
    ['stages: [{ name: implement, retries: 99 }]', 'expected a whole number from 0 to 9'],
    ['stages: constructor', 'expected a list of stages, or the name of a pipeline'],
    ['stages: [{ name: __proto__ }]', 'expected a name of small letters'],
    ['pipelines: { plan-first: [implement] }', 'expected a name that no pipeline of ours has'],
    ['pipelines: { mine: [plan] }', 'pipelines.mine[0].name'],
  ])('%j says what is wrong', (lines, message) => {
    expect(problemsOf(lines).join('\n')).toContain(message);
  });

  test('the operator says which agents a stage may have, too', () => {
    const operator = { bounds: { agents: ['claude'] } } as const;
    expect(problemsOf('stages: [{ name: implement, agent: codex }]', operator).join()).toContain(
      "stages[0].agent.use (line 3): expected claude (the operator's bound agents)",
    );
    expect(problemsOf('review: codex', operator).join()).toContain("the operator's bound agents");
  });
});

describe('a task', () => {
  const lines = `stages: plan-first
pipelines:
  thorough: [{ name: plan, approve: true }, tests, implement, review]
  hasty: [implement]
`;

  test('chooses a pipeline in which people approve the same stages', () => {
    const { settings, problems } = withOverrides(settingsOf(lines), { pipeline: 'thorough' });
    expect(problems).toEqual([]);
    expect(settings.stages?.map(({ name }) => name)).toEqual(['plan', 'tests', 'implement']);
    expect(settings.review).toEqual({ agent: claude });
  });

  test.each(['hasty', 'implement', 'reviewed'])(
    'may not choose %s, where nobody approves the plan',
    (pipeline) => {
      const { settings, problems } = withOverrides(settingsOf(lines), { pipeline });
      expect(problems.map(problemText).join()).toContain('expected a pipeline in which people approve plan');
      expect(settings.stages).toEqual(settingsOf(lines).stages);
    },
  );

  test('keeps the second opinion of the repository whatever it chooses', () => {
    const { settings } = withOverrides(settingsOf('review: codex'), { pipeline: 'plan-first' });
    expect(settings.review?.agent.use).toBe('codex');
    expect(settings.stages?.map(({ name }) => name)).toEqual(['plan', 'implement']);
  });

  test('is told which pipelines there are', () => {
    const { problems } = withOverrides(settingsOf(lines), { pipeline: 'thorogh' });
    expect(problems.map(problemText).join()).toContain(
      'pipeline: expected thorough (did you mean that?), or one of thorough, hasty, implement, plan-first, reviewed',
    );
  });

  test.each(['constructor', '__proto__', 'toString', 'review', 'plan'])(
    'chooses no %s that nobody defined',
    (pipeline) => {
      const before = settingsOf(lines);
      const { settings, problems } = withOverrides(before, { pipeline });
      expect(problems).toHaveLength(1);
      expect(settings).toEqual(before);
    },
  );

  test('has a pipeline named as any property is, if the configuration defines it', () => {
    const mine = 'pipelines: { constructor: [{ name: constructor, approve: true }, implement] }';
    const { settings, problems } = withOverrides(settingsOf(mine), { pipeline: 'constructor' });
    expect(problems).toEqual([]);
    expect(settings.stages).toEqual([{ name: 'constructor', approve: true }, { name: 'implement' }]);
  });

  test('cannot take an approval away by what it chooses besides', () => {
    const before = settingsOf(`${lines}review: codex\napproval: { mode: confidence_threshold }`);
    const written = {
      pipeline: 'reviewed',
      review: 'none',
      stages: ['implement'],
      pipelines: { reviewed: ['implement'] },
      approval: { mode: 'auto', approve_stages: 'none' },
    };
    for (const [key, value] of Object.entries(written)) {
      const { settings } = withOverrides(before, { [key]: value });
      expect([key, settings.stages, settings.review, settings.approval]).toEqual([
        ...[key, before.stages, before.review, before.approval],
      ]);
    }
  });

  test('defines none', () => {
    const { problems } = withOverrides(settingsOf(lines), { stages: ['implement'] });
    expect(problems).not.toEqual([]);
  });
});
