import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { readBlock } from '../../src/github/show/block.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

const number = 2;

/**
 * Gives each test of the file a copy of a run on #2, which changes notes.txt, infra/main.tf and web/app.js. Its
 * configuration wants two people, the team acme/platform for infra/, and code owners. Bob is in acme/platform
 * through a child team.
 */
export function runWithApprovers() {
  let saved: SavedForge;
  let fixture: RunsFixture;
  beforeAll(async () => {
    saved = await saveForge(starts);
  });
  afterAll(() => saved.remove());
  beforeEach(async () => {
    fixture = await startRunsFixture(saved);
  });
  afterEach(() => fixture.end());

  const pull = async () => (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
  /** Without what keeps names from notifying people. */
  const comments = async () =>
    (await fixture.appComments(number)).map((text) => text.replaceAll('\u200b', ''));
  return {
    number,
    get fixture() {
      return fixture;
    },
    get installation() {
      return saved.app.installation;
    },
    ...{ pull, comments },
    phase: async () => readBlock((await pull()).body ?? '')?.phase,
    lastComment: async () => (await comments()).at(-1) ?? '',
    says: (login: 'ada' | 'bob' | 'mia' | 'rea', text: string) => fixture.says(login, number, text),
  };
}

const config = (approval: string) =>
  `version: 1\nagent: { use: command, command: [sh, agent.sh] }\nverifiers:\n  - { name: test, run: "true" }\napproval: ${approval}\n`;

const strict =
  '{ required: 2, by: [codeowners], protected_paths: [{ paths: infra/, by: ["@acme/platform"] }] }';

async function starts({ forge: { seed }, ada, says }: RunsFixture): Promise<void> {
  seed.addTeam('acme/platform', { repositories: ['acme/api'] });
  seed.addTeam('acme/terraform', { parent: 'acme/platform' });
  seed.setMember('acme/terraform', 'bob', true);
  const agent = 'mkdir -p infra web\necho a >> notes.txt\necho a >> infra/main.tf\necho a >> web/app.js\n';
  await seed.commit('acme/api', {
    '.github/coxswain.yml': config(strict),
    '.github/CODEOWNERS': '/web/ @mia\n',
    'agent.sh': agent,
  });
  const issue = await ada.rest.issues.create({ ...at, title: 'Move the clock', body: 'It is late.' });
  await says('ada', issue.data.number, '/run');
}
