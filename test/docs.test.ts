import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isReleased } from '../scripts/changelog.mjs';
import { eventKinds } from '../src/api/event-schema.ts';
import { withDefaults } from '../src/app/environment/app-settings.ts';
import { readEnvironment } from '../src/app/environment/environment.ts';
import { widgets } from '../src/cli/demo/start-demo.ts';
import { stories } from '../src/cli/demo/stories/index.ts';
import { programNames, runCommand } from '../src/cli/program.ts';
import { readOperatorFile } from '../src/config/operator/read-operator-file.ts';
import { readConfig } from '../src/config/read.ts';
import { readTaskDocuments } from '../src/config/tasks/task-documents.ts';
import { followsApproval } from '../src/steering/approval/authorization.ts';
import { commandNames, commandSpecs } from '../src/steering/commands/index.ts';
import { longestHoldS } from '../src/steering/shapes/question.ts';
import { bandOf, scoreOf } from '../src/steering/shapes/score.ts';
import { appKey } from './app/environment/app-key.ts';
import { ledgerKey } from './ledger/identity.ts';

/** Compares the documents with the code. */

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = textOf('README.md');
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'packages/forge/README.md',
  ...below('docs'),
];

afterEach(() => vi.restoreAllMocks());

describe('README', () => {
  test('lists every command as in its spec; vitest -u updates it', async () => {
    const written = readme.replace(/(?<=<!-- commands -->\n)[\s\S]*(?=<!-- \/commands -->)/, commandTable);
    await expect(written).toMatchFileSnapshot('../README.md');
  });

  test('shows a configuration that is accepted', () => {
    const examples = fencesIn(readme, 'yaml').filter((text) => text.startsWith('version:'));
    const outcomes = examples.map((text) => readConfig(text, { path: 'README.md', ref: 'main' }).outcome);
    expect(outcomes).toEqual(['configured']);
  });

  test('shows the session of the demo', () => {
    const session = fencesIn(readme, 'text').join('\n');
    expect(session).toContain(stories[0]?.issue.title);
    const script = load(widgets['tools/agent.yml'] ?? '') as Script; // the demo's own, read by the agent too
    const reports = script.turns
      .slice(1, 3)
      .flatMap(({ steps }) => steps.flatMap(({ report }) => report ?? []));
    for (const { summary } of reports) expect(session).toContain(`> ${summary}`);
  });

  test('explains how the score is computed', () => {
    const evidence = { verifiers: { passed: 1, total: 1 }, retries: 0, max_retries: 2, destructive: false };
    const rest = { reviewer: null, tool_calls: { succeeded: 0, total: 0 }, uncertain: false };
    const { components } = scoreOf({ ...evidence, ...rest });
    const named = { verifiers: 'passed', no_retries: 'no retries', not_destructive: 'destructive changes' };
    const words = { ...named, tool_calls: 'succeeded', reviewer: 'reviewer' };
    for (const { name, weight } of components) expect(readme).toContain(`${words[name]} (${weight})`);
    const unverified = scoreOf({ ...evidence, ...rest, verifiers: { passed: 0, total: 0 } });
    expect(readme).toContain(`at most ${unverified.score} and marked unverified`);
    expect(readme).toContain(
      `uncertain, at most ${scoreOf({ ...evidence, ...rest, uncertain: true }).score}`,
    );
  });

  test('lists where each band begins', () => {
    const said = /From ([\d.]+) it is high, from ([\d.]+) medium, from ([\d.]+) low/.exec(readme)?.slice(1);
    expect(said?.map((score) => bandOf(Number(score)))).toEqual(['high', 'medium', 'low']);
    expect(said?.map((score) => bandOf(Number(score) - 0.000001))).toEqual(['medium', 'low', 'zero']);
  });
});

test('README and SECURITY say in the same five sentences what is trusted', () => {
  const [here, there] = ['README.md', 'SECURITY.md'].map(
    (page) => /(?<=<!-- trust -->\n)[\s\S]*(?=<!-- \/trust -->)/.exec(textOf(page))?.[0],
  );
  expect(here?.match(/^\d\. /gm)).toEqual(['1. ', '2. ', '3. ', '4. ', '5. ']);
  expect(there).toBe(here);
});

test('docs/cli.md is the help of every command line; vitest -u updates it', async () => {
  const said: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const names = ['coxswain', ...programNames.map((name) => `coxswain ${name}`)];
  for (const name of names) {
    said.push(`\n## ${name}\n\n\`\`\`text\n`);
    await runCommand([...name.split(' ').slice(1), '--help']);
    said.push('```\n');
  }
  await expect(
    `# The command line\n\nWhat \`--help\` prints; generated from the program.\n${said.join('')}`,
  ).toMatchFileSnapshot('../docs/cli.md');
});

test('docs/api.md lists every event with what it says; vitest -u updates it', async () => {
  const rows = Object.entries(eventKinds).map(([name, { says }]) => `| \`${name}\` | ${says} |\n`);
  const table = `| event | meaning |\n|---|---|\n${rows.join('')}`;
  const page = textOf('docs/api.md').replace(/(?<=<!-- events -->\n)[\s\S]*(?=<!-- \/events -->)/, table);
  await expect(page).toMatchFileSnapshot('../docs/api.md');
});

describe('commands in the documents', () => {
  const typed = [...pages, '.github/workflows/ci.yml', '.ci/run'].map(textOf).join('\n');

  test('every npm script that is mentioned exists', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }; // by npm's schema
    const named = [...typed.matchAll(/\bnpm (?:run |(?=start\b|test\b))([a-z]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(new Set(named)).toContain('serve');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('every command line that is mentioned has help', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const named = new Set([...typed.matchAll(/(?:`|^)coxswain ([a-z]+)/gm)].map(at1));
    expect([...named]).toEqual(expect.arrayContaining(['setup', 'init', 'check']));
    for (const name of named) expect(await runCommand([name, '--help']), name).toBe(0);
  });

  test('before the first release, npx would fetch another package of that name', () => {
    const isNow = isReleased(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
    expect(/npx coxswain/.test(typed)).toBe(isNow);
  });

  test('every path that is mentioned exists', () => {
    const named = pages.flatMap((page) => {
      const paths = [...textOf(page).matchAll(/`((?:src|test|docs|examples|packages|\.ci)\/[\w./-]+)`/g)].map(
        at1,
      );
      return paths.filter((path) => !existsSync(join(root, path))).map((path) => `${page}: ${path}`);
    });
    expect(named).toEqual([]);
  });
});

test('docs/probot.md names every setting of an application in another host', () => {
  const settings = Object.keys(withDefaults({ appId: 1, privateKey: '', ledgerKey: '' }));
  const named = [...textOf('docs/probot.md').matchAll(/^\| `(\w+)` \|/gm)].map(at1);
  expect([...named, 'appId', 'privateKey', 'ledgerKey'].sort()).toEqual(settings.sort());
});

test('the documents say how long an agent is held for an answer', () => {
  expect(textOf('docs/questions.md')).toContain(`held, up to ${longestHoldS} s`);
  expect(textOf('docs/probot.md')).toContain(`| \`holdQuestionsMs\` | ${longestHoldS * 1000},`);
});

test('docs/where.md names functions that are where it says', () => {
  const rows = [...textOf('docs/where.md').matchAll(/^\| .+\? \| (.+) \| (.+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(20);
  const missing = rows.flatMap(([, files = '', names = '']) => {
    const code = [...files.matchAll(/\]\(\.\.\/(.+?)\)/g)].map(([, path = '']) => textOf(path)).join('\n');
    const isThere = (name: string) =>
      new RegExp(
        `^(?:export )?(?:async )?(?:function|const|class) ${name}\\b|^  (?:async )?${name}\\(`,
        'm',
      ).test(code);
    return [...names.matchAll(/`([#\w]+)`/g)].map(at1).filter((name) => !isThere(name));
  });
  expect(missing).toEqual([]);
});

test('the stages that a document shows can be read', () => {
  const shown = fencesIn(textOf('docs/stages.md'), 'yaml');
  const readings = shown.map((text) =>
    readConfig(`version: 1\nagent: claude\n${text}`, { path: 'docs/stages.md', ref: 'main' }),
  );
  expect(readings).toMatchObject([
    { settings: { stages: [{ approve: true }, { retries: 1 }, {}], review: { agent: { use: 'codex' } } } },
    { settings: { pipelines: { quick: {}, planned: {} } } },
  ]);
});

test('the tasks that a document shows can be read', () => {
  const shown = fencesIn(textOf('docs/tasks.md'), 'yaml coxswain');
  expect(shown.map((text) => readTaskDocuments(text))).toMatchObject([
    { tasks: [{ worker_profile: 'careful', depends_on: ['#12'], overrides: { critical: true } }] },
  ]);
});

test('the targets that a document shows can be read, and what a repository wants of them', () => {
  const [operator = '', repository = ''] = fencesIn(textOf('docs/notifications.md'), 'yaml');
  const url = 'https://hooks.example.org/1';
  const reading = readOperatorFile(`version: 1\n${operator}`, { BUILDS_URL: url, RELEASES_URL: url });
  if (reading.outcome !== 'read') throw new Error(JSON.stringify(reading.problems));
  const where = { path: 'docs/notifications.md', ref: 'main' };
  expect(readConfig(`version: 1\nagent: claude\n${repository}`, where, reading.file)).toMatchObject({
    settings: { notify: [{ to: 'builds' }, { to: 'releases', events: ['run_finished'] }] },
  });
});

describe('the environment of the App', () => {
  const read = variablesRead();

  test('every variable in the documents is read', () => {
    const agents = /^COXSWAIN_(?:PROMPT_FILE|REPORT_FILE|RUN|ITERATION|ATTEMPT)$/;
    const tests = /^COXSWAIN_(?:CHAOS_(?:STORY|ONLY|APPS|SHARD|SEED|MINUTES)|RANDOM_(?:EVENTS|SEED))$/;
    const ours = pages.flatMap((page) => [...textOf(page).matchAll(/`(COXSWAIN_[A-Z_]+)`/g)].map(at1));
    expect(ours).toContain('COXSWAIN_SANDBOX');
    expect(ours.filter((name) => !agents.test(name) && !tests.test(name) && !read.has(name))).toEqual([]);
  });

  test('every variable that is read is in the help of serve or in README', async () => {
    const said: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    await runCommand(['serve', '--help']);
    const help = said.join('');
    const inHelp = [...help.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name);
    expect(inHelp.filter((name) => !read.has(name))).toEqual([]);
    const unsaid = [...read].filter((name) => !new RegExp(`\\b${name}\\b`).test(`${help}\n${readme}`));
    expect(unsaid).toEqual([]);
  });
});

describe('links', () => {
  test.each(pages)('the links of %s are valid', (page) => {
    const links = [...withoutFences(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(at1);
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(local.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });
});

interface Script {
  readonly turns: readonly {
    readonly steps: readonly { readonly report?: { readonly summary: string } }[];
  }[];
}

function commandTable(): string {
  const rows = commandNames.map((name) => {
    const { usage, summary, needs } = commandSpecs[name];
    const takes = followsApproval(name) ? '`approval.by`' : needs;
    return `| \`${usage.replaceAll('|', '\\|')}\` | ${summary} | ${takes} |\n`;
  });
  return `| command | what it does | requires |\n|---|---|---|\n${rows.join('')}`;
}

/** Read with a private key and without one, because PRIVATE_KEY_PATH is read only if PRIVATE_KEY is not set. */
function variablesRead(): ReadonlySet<string> {
  const read = new Set<string>();
  const given = {
    APP_ID: '1',
    WEBHOOK_SECRET: 'secret',
    COXSWAIN_LEDGER_KEY: ledgerKey,
    PRIVATE_KEY: appKey,
  };
  const watching = (variables: Readonly<Record<string, string | undefined>>) => {
    const get = (all: typeof variables, name: string | symbol) => {
      read.add(String(name));
      return all[String(name)];
    };
    return new Proxy(variables, { get });
  };
  readEnvironment(watching(given));
  expect(() => readEnvironment(watching({ ...given, PRIVATE_KEY: '' }))).toThrow('PRIVATE_KEY_PATH');
  return read;
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsIn(textOf(target)).includes(anchor);
}

/** The anchors that GitHub generates for headings. */
function anchorsIn(markdown: string): readonly string[] {
  const headings = [...withoutFences(markdown).matchAll(/^#+ (.+)$/gm)].map(at1);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function fencesIn(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(at1);
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '');
}

function at1([, group = '']: RegExpMatchArray): string {
  return group;
}

function below(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .sort();
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
