import { expect, test } from 'vitest';
import type { BlockedHost } from '../../src/steering/shapes/attempt-result.ts';
import { askText, decisionCheck } from '../../src/words/index.ts';
import { blockedText } from '../../src/words/parts/evidence-texts.ts';
import { awaiting, web } from '../github/show/state.ts';

const blockedHost: BlockedHost = {
  host: 'example.com',
  use: 'verifiers',
  command: 'npm test',
  why: 'unlisted',
};

test('a blocked host is named with the command and the line that would allow it', () => {
  const state = awaiting({ blocked: [blockedHost] });
  const expected =
    '**Blocked**: `example.com`, requested by `npm test` (verifiers). ' +
    'To allow it: `network: { verifiers: [example.com] }` in `.github/coxswain.yml`.';
  expect(askText(state, web)).toContain(expected);
  expect(decisionCheck(state, web).summary).toContain(expected);
});

test('several are listed, and the line keeps what is allowed already', () => {
  const state = awaiting();
  const network = { setup: ['registries'], agent: ['model', '*.example.org:8443'], verifiers: [] };
  const blocked: BlockedHost[] = [
    { ...blockedHost, use: 'agent', command: 'curl x', host: 'A.example.com:8443' },
    { ...blockedHost, use: 'agent', command: '', host: 'b.example.com' },
    { ...blockedHost, use: 'setup' },
    { ...blockedHost, why: 'private', host: 'db.example.com' },
    { ...blockedHost, host: '93.184.216.34' },
    { ...blockedHost, host: 'api.openai.com' },
  ];
  expect(blockedText({ ...state, blocked, settings: { ...state.settings, network } })).toMatchInlineSnapshot(`
    "**Blocked**

    - \`A.example.com:8443\`, requested by \`curl x\` (agent)
    - \`b.example.com\`, requested by the agent
    - \`example.com\`, requested by \`npm test\` (setup)
    - \`db.example.com\`, requested by \`npm test\` (verifiers): it resolves to a private address, which only the operator of Coxswain can allow
    - \`93.184.216.34\`, requested by \`npm test\` (verifiers): only hosts with a full name can be allowed
    - \`api.openai.com\`, requested by \`npm test\` (verifiers): models can be reached only through our endpoint (the word \`model\` for the agent)

    To allow them: \`network: { setup: [registries, example.com], agent: [model, '*.example.org:8443', a.example.com:8443, b.example.com] }\` in \`.github/coxswain.yml\`."
  `);
});

test('where nothing in the configuration could allow it, no line is suggested', () => {
  const text = blockedText(
    awaiting({ blocked: [{ ...blockedHost, why: 'private', host: '10.0.0.1:8080' }] }),
  );
  expect(text).toContain('only the operator of Coxswain can allow');
  expect(text).not.toContain('network:');
});

test('where there is no operator, nobody is said to be able to allow a private address', () => {
  const state = awaiting({ blocked: [{ ...blockedHost, why: 'private', host: 'db.example.com' }] });
  expect(blockedText({ ...state, run: { ...state.run, presenter: 'action' } })).toContain(
    'it resolves to a private address, which cannot be allowed in the Action.',
  );
});

test('a host beyond the bound of the operator is theirs to allow, and in no line', () => {
  const state = awaiting();
  const network = { setup: ['registries'], agent: ['model', '*.example.org'], verifiers: [] };
  const settings = { ...state.settings, most: { network } };
  const wide = { ...blockedHost, use: 'agent', command: 'curl x' } as const;
  const both = blockedText({
    ...state,
    settings,
    blocked: [blockedHost, { ...wide, host: 'A.example.org' }, wide],
  });
  expect(both).toContain(
    '`example.com`, requested by `npm test` (verifiers): only the operator of Coxswain can',
  );
  expect(both).toContain('To allow it: `network: { agent: [model, a.example.org] }` in');
  const beyond = blockedText({ ...state, settings, blocked: [blockedHost] });
  expect(beyond).toMatch(/: only the operator of Coxswain can allow it\.$/);
});

test("a host of the operator's models is no host to list", () => {
  const text = blockedText(
    awaiting({ blocked: [{ ...blockedHost, host: 'models.example.com', why: 'model' }] }),
  );
  expect(text).toContain('models can be reached only through our endpoint');
  expect(text).not.toContain('network:');
});

test('the line names the file that there is, and is left out where there is none', () => {
  const state = awaiting({ blocked: [blockedHost] });
  const { settings } = state;
  expect(blockedText({ ...state, settings: { ...settings, file: 'ci/coxswain.yml' } })).toMatch(
    /in `ci\/coxswain\.yml`\.$/,
  );
  expect(blockedText({ ...state, settings: { ...settings, inputs: 'version: 1' } })).toMatch(
    /requested by `npm test` \(verifiers\)\.$/,
  );
});

test('a line that would be invalid is left out', () => {
  const state = awaiting({ blocked: [blockedHost] });
  const verifiers = Array.from({ length: 200 }, (_, index) => `h${index}.example.com`);
  const settings = { ...state.settings, network: { ...state.settings.network, verifiers } };
  expect(blockedText({ ...state, settings })).not.toContain('To allow');
});

test('a host and a command cannot leave their code or mention anybody', () => {
  const evil = {
    ...blockedHost,
    host: 'x`\n@ada <!-- coxswain',
    command: '` [a](https://b) `` @ada\n# A <!-- x',
  };
  const text = blockedText(awaiting({ blocked: [evil] }));
  expect(text).not.toMatch(/<!/);
  expect(text.split('\n')).toHaveLength(1);
  expect(text.replaceAll('\u200b', '·')).toMatchInlineSnapshot(
    `"**Blocked**: \`\`x\` @ada <·!-- coxswain\`\`, requested by \`\`\` \` [a](https://b) \`\` @ada # A <·!-- x \`\`\` (verifiers): only hosts with a full name can be allowed."`,
  );
});

test('notices are small, and in the check run only', () => {
  const state = awaiting({ notices: ['Memory is not bounded here: <b>no</b> cgroups'] });
  expect(decisionCheck(state, web).summary).toContain(
    '<sub>Memory is not bounded here: &lt;b&gt;no&lt;/b&gt; cgroups</sub>',
  );
  expect(askText(state, web)).not.toContain('Memory');
});
