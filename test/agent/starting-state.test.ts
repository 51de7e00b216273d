import { expect, test } from 'vitest';
import type { VerifyOutcome } from '../../src/agent/port/assignment.ts';
import type { VerifierSpec } from '../../src/steering/shapes/settings.ts';
import { type AgentFixture, agentFixture, places, verifyBy } from './agent-fixture.ts';

const files = {
  'package.json': JSON.stringify({ name: 'sums', scripts: { test: 'exit 1' } }),
  'src/sum.js': 'module.exports = 1;\n',
  'docs/deep/read me.md': 'read\n',
};

/** What a hostile verifier can leave: it rewrites, replaces, removes, hides and adds, also where set-up wrote. */
const vandal = [
  `printf 'script-shell=/bin/true\\n' > "$HOME/.npmrc"`,
  'echo rewritten > src/sum.js',
  'touch -d @0 src/sum.js',
  'rm -rf docs; ln -s /etc docs',
  'mkdir -p new/deep; echo x > new/deep/x',
  'printf odd > "$(printf \'odd\\377name\')"',
  'echo other > made/by-setup; chmod 755 made/cache; rm made/cache/read-only; chmod 000 made/cache',
  'rm made/link; ln -s /etc/passwd made/link',
  'mkdir -p "$HOME/.config" "$TMPDIR/t"; echo left > "$TMPDIR/t/left"; rm "$HOME/kept"',
].join('\n');

const setup = [
  'mkdir -p made/cache; echo made > made/by-setup; ln -s by-setup made/link',
  'echo cached > made/cache/read-only; chmod 444 made/cache/read-only; chmod 555 made/cache',
  'echo home > "$HOME/kept"; printf kept > "$(printf \'made/\\377\')"',
];

const look = [
  'find . -path ./.git -prune -o -printf "%p %y %m %l\\n" | LC_ALL=C sort',
  'find "$HOME" "$TMPDIR" -printf "%y %m %P\\n" | LC_ALL=C sort',
  'cat src/sum.js made/by-setup made/cache/read-only made/link "$HOME/kept" "docs/deep/read me.md"',
].join('\n');

for (const { kind, sandbox, tags } of places)
  test(`each verifier begins from what set-up left (${kind})`, { tags }, async () => {
    const on = await agentFixture(files, { sandbox });
    const undisturbed = await outputs(on, { first: look }, setup);
    const found = await outputs(on, { vandal, look, again: `${look}\n${vandal}`, last: look }, setup);
    expect(found['look']).toBe(undisturbed['first']);
    expect(found['last']).toBe(undisturbed['first']);
    expect(undisturbed['first']).toContain('module.exports = 1;\nmade\ncached\nmade\nhome\nread\n');
  });

test('a verifier goes on from the one that it comes after, and only from that one', async () => {
  const on = await agentFixture(files);
  const { verifiers } = verified(
    await verifyBy({}, on, {
      settings: {
        verifiers: [
          specOf('lint', 'echo lint > left'),
          specOf('build', 'ls; echo built > dist'),
          { ...specOf('test', 'ls; cat dist; echo tested > dist'), after: 'build' },
          { ...specOf('e2e', 'cat dist'), after: 'test' },
          specOf('other', 'ls'),
        ],
      },
    }),
  );
  const listing = 'docs\npackage.json\nsrc\n';
  expect(verifiers.map(({ name, stdout }) => [name, stdout])).toEqual([
    ['lint', ''],
    ['build', listing],
    ['test', 'dist\ndocs\npackage.json\nsrc\nbuilt\n'],
    ['e2e', 'tested\n'],
    ['other', listing],
  ]);
});

test('a verifier without set-up runs before it, in the bare checkout with an empty home', async () => {
  const on = await agentFixture(files);
  const seen: string[] = [];
  const look = 'ls "$HOME"; ls; echo left > left; echo left > "$HOME/left"';
  const { verifiers } = verified(
    await verifyBy({}, on, {
      settings: {
        setup: ['ls "$HOME"; ls; test ! -e left; mkdir node_modules'],
        verifiers: [
          specOf('test', 'ls'),
          { ...specOf('scan', look), setup: false },
          { ...specOf('secrets', look), setup: false },
        ],
      },
      onProgress: (all) => seen.push(all.flatMap(({ name, since }) => (since ? [name] : [])).join()),
    }),
  );
  const bare = 'docs\npackage.json\nsrc\n';
  expect(verifiers.map(({ name, stdout, success }) => [name, success, stdout])).toEqual([
    ['test', true, 'docs\nnode_modules\npackage.json\nsrc\n'],
    ['scan', true, bare],
    ['secrets', true, bare],
  ]);
  expect(seen.filter((name) => name !== '')).toEqual(['scan', 'secrets', 'test']);
});

test('files of the commit that set-up changes are put back and named, unless it may change them', async () => {
  const on = await agentFixture({ ...files, 'gen/api.js': 'old\n' });
  const change = ['echo worse > src/sum.js; rm package.json; echo new > gen/api.js; echo more > src/new.js'];
  const outcome = verified(
    await verifyBy({ test: 'cat src/sum.js gen/api.js src/new.js; ls' }, on, {
      settings: { setup: change, setup_changes: ['gen/**'] },
    }),
  );
  expect(outcome.verifiers[0]?.stdout).toBe('module.exports = 1;\nnew\nmore\ndocs\ngen\npackage.json\nsrc\n');
  expect(outcome.notices).toEqual([
    'set-up changed files of the commit, which were put back before the verifiers ran: package.json, ' +
      'src/sum.js; if the verifiers need them changed, list them under `setup_changes`',
  ]);
});

function specOf(name: string, run: string): VerifierSpec {
  return { name, run, timeout_s: 20, required: true };
}

async function outputs(on: AgentFixture, run: Readonly<Record<string, string>>, setup: readonly string[]) {
  const { verifiers } = verified(await verifyBy(run, on, { settings: { setup } }));
  return Object.fromEntries(verifiers.map(({ name, stdout }) => [name, stdout]));
}

function verified(outcome: VerifyOutcome) {
  if (outcome.kind !== 'verified') throw new Error(JSON.stringify(outcome));
  return outcome;
}
