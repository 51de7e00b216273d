import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

/**
 * What CONTRIBUTING says that something new takes, counted: in a copy of the code, each addition is made with its
 * edits and no others, and what the compiler is said to ask for, it asks for.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

interface Edit {
  readonly path: string;
  /** The whole text of a new file, or what replaces what in one that is there. */
  readonly text: string | readonly (readonly [before: string, after: string])[];
  /** The compiler misses it where it was left out. */
  readonly asked?: true;
}

const additions: Readonly<Record<string, readonly Edit[]>> = {
  'a phase': [
    {
      path: 'src/steering/phases/resting.ts',
      text: `import { baseChanged } from '../branch/changed-base.ts';
import { followEdit, queueSteer } from '../handlers/command-handlers.ts';
import { ended, noAttempt, noteHead } from '../handlers/event-handlers.ts';
import { ignored, type Row } from '../iterations/step.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    resting: { readonly phase: 'resting' };
  }
}

export const resting: Row<'resting'> = {
  kind: 'stopped',
  commands: { steer: queueSteer },
  events: {
    ...noAttempt,
    pushed: noteHead,
    retargeted: baseChanged,
    comment_changed: followEdit,
    closed: ended,
    run_failed: ignored,
    branch_deleted: ignored,
    timer_due: ignored,
  },
};
`,
    },
    {
      path: 'src/steering/phases/table.ts',
      text: [
        [
          "import { queued } from './queued.ts';",
          "import { queued } from './queued.ts';\nimport { resting } from './resting.ts';",
        ],
        ['  paused,\n', '  paused,\n  resting,\n'],
      ],
      asked: true,
    },
    {
      path: 'src/words/phases/index.ts',
      text: [
        [
          '  paused,\n  approved,',
          `  paused,
  resting: {
    title: () => 'Resting',
    summary: () => [],
    status: () => [],
    missing: () => ['a rest'],
    result: () => 'action_required',
    tone: 'neutral',
  },
  approved,`,
        ],
      ],
      asked: true,
    },
    {
      path: 'test/steering/phases.ts',
      text: [
        ['  approved: (choices)', '  resting: (choices) => story(choices).starts(),\n  approved: (choices)'],
      ],
      asked: true,
    },
    {
      path: 'test/steering/random-work.ts',
      text: [["    case 'paused':\n", "    case 'paused':\n    case 'resting':\n"]],
      asked: true,
    },
  ],
  'a command': [
    {
      path: 'src/steering/commands/nudge.ts',
      text: `import { command, type Reasoned, withReason } from './spec.ts';

export const nudge = command<Reasoned<'nudge'>>()({
  ...withReason('nudge'),
  summary: 'Nudge the run.',
  needs: 'write',
  startsNoWork: true,
});
`,
    },
    {
      path: 'src/steering/commands/index.ts',
      text: [
        [
          "import { pause } from './pause.ts';",
          "import { nudge } from './nudge.ts';\nimport { pause } from './pause.ts';",
        ],
        ['  pause,\n', '  pause,\n  nudge,\n'],
      ],
    },
    {
      path: 'src/cli/commands/steering-commands.ts',
      text: [
        [
          '  cancel: alone(',
          "  nudge: { examples: { nudge: 'gently' }, says: () => ({ type: 'nudge', reason: '' }) },\n  cancel: alone(",
        ],
      ],
      asked: true,
    },
    {
      path: 'src/cli/program.ts',
      text: [["    pause: 'hold", "    nudge: 'nudge the run',\n    pause: 'hold"]],
      asked: true,
    },
  ],
  'a gate rule': [
    {
      path: 'src/steering/shapes/gate-rules.ts',
      text: [
        [
          "  'rewrites-history':",
          "  'renames-files': { destroys: false, held: 'never', calls: 'none' },\n  'rewrites-history':",
        ],
      ],
    },
    {
      path: 'src/gates/reading/rules.ts',
      text: [
        [
          "  'drops-data': {",
          "  'renames-files': { severity: 'low', firesOn: 'a renamed file', allows: 'it has another name' },\n  'drops-data': {",
        ],
      ],
      asked: true,
    },
    {
      path: 'test/gates/rules.test.ts',
      text: [["  'drops-data': {", "  'renames-files': { change: ['a', '+a'] },\n  'drops-data': {"]],
      asked: true,
    },
  ],
  'an agent that is known by name': [
    {
      path: 'src/profiles/pearl.ts',
      text: readFileSync(join(root, 'src/profiles/qwen.ts'), 'utf8').replaceAll('qwen', 'pearl'),
    },
    {
      path: 'src/profiles/known-agents.ts',
      text: [
        [
          "export { qwen } from './qwen.ts';",
          "export { pearl } from './pearl.ts';\nexport { qwen } from './qwen.ts';",
        ],
      ],
    },
  ],
  'a configuration key': [
    {
      path: 'src/config/schema/run-keys.ts',
      text: [
        [
          '  questions: section({\n',
          `  questions: section({
    polite: key(flag().default(true), { description: 'Whether agents say please.', examples: [false] }),
`,
        ],
      ],
    },
  ],
};

const all = Object.values(additions).flat();

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'coxswain-growing-'));
  const configs = readdirSync(root).filter((name) => /\.config\.ts$/.test(name));
  for (const name of [
    'src',
    'test',
    'bench',
    'scripts',
    'packages',
    'package.json',
    'tsconfig.json',
    ...configs,
  ])
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|fixtures)$/.test(path),
    });
  cpSync(join(root, 'test/fixtures'), join(copy, 'test/fixtures'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return () => rmSync(copy, { recursive: true, force: true });
});

/** Makes these edits until the test ends. */
function make(edits: readonly Edit[]): void {
  for (const { path, text } of edits) {
    const file = join(copy, path);
    if (typeof text === 'string') {
      writeFileSync(file, text, { flag: 'wx' });
      onTestFinished(() => rmSync(file));
      continue;
    }
    const before = readFileSync(file, 'utf8');
    onTestFinished(() => writeFileSync(file, before));
    writeFileSync(
      file,
      text.reduce((now, change) => changed(now, change, path), before),
    );
  }
}

function changed(text: string, [before, after]: readonly [string, string], path: string): string {
  if (text.split(before).length !== 2) throw new Error(`${path} should have this once: ${before}`);
  return text.replace(before, () => after);
}

/** What the compiler says, one problem a line. */
async function compiled(): Promise<readonly string[]> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '--noEmit', '--pretty', 'false'], { cwd: copy }, (_, stdout) =>
      resolve(stdout.split('\n').filter((line) => /error TS/.test(line))),
    );
  });
}

describe('what is new', () => {
  test('takes as many edits as CONTRIBUTING says, with those that the compiler asks for in tests', () => {
    const edits = Object.entries(additions).map(([what, each]) => [what, each.length]);
    expect(Object.fromEntries(edits)).toEqual({
      'a phase': 5,
      'a command': 4,
      'a gate rule': 3,
      'an agent that is known by name': 2,
      'a configuration key': 1,
    });
  });

  test('compiles with these edits, and with no others', { timeout: 240_000 }, async () => {
    make(all);
    expect(await compiled()).toEqual([]);
  });

  test('does not compile where one was left out that the compiler asks for', {
    timeout: 240_000,
  }, async () => {
    make(all.filter(({ asked }) => asked !== true));
    const problems = await compiled();
    const missed = all.filter(({ asked, path }) => asked && !problems.some((line) => line.startsWith(path)));
    expect(missed.map(({ path }) => path)).toEqual([]);
  });
});
