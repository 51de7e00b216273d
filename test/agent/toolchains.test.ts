import { describe, expect, test } from 'vitest';
import { agentFixture, verifyBy } from './agent-fixture.ts';

/** What the programs of a project need besides the network: to start, to build and to run what they built. */
const toolchains = [
  {
    name: 'npm ci installs, and Node.js runs',
    needs: [],
    files: {
      'package.json':
        '{"name":"a","version":"1.0.0","dependencies":{"one":"file:one"},"scripts":{"test":"node ."}}',
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: {
          '': { name: 'a', version: '1.0.0', dependencies: { one: 'file:one' } },
          one: { name: 'one', version: '1.0.0' },
          'node_modules/one': { resolved: 'one', link: true },
        },
      }),
      'index.js': 'console.log(require("one"));',
      'one/package.json': '{"name":"one","version":"1.0.0"}',
      'one/index.js': 'module.exports = "works";',
    },
    setup: ['npm ci --no-audit'],
    run: 'npm test --silent',
  },
  {
    name: 'Python makes a venv, pip installs into it, and processes share memory',
    needs: ['pip3'],
    files: {
      'wheel.py': [
        'import zipfile',
        'with zipfile.ZipFile("one-1.0-py3-none-any.whl", "w") as wheel:',
        '    wheel.writestr("one.py", "text = \'works\'")',
        '    about = "one-1.0.dist-info/"',
        '    wheel.writestr(about + "METADATA", "Metadata-Version: 2.1\\nName: one\\nVersion: 1.0\\n")',
        '    wheel.writestr(about + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")',
        '    wheel.writestr(about + "RECORD", "")',
      ].join('\n'),
      'test.py': 'import multiprocessing, one, ssl\nwith multiprocessing.Pool(2) as pool: print(one.text)\n',
    },
    setup: [
      'python3 -m venv env && python3 wheel.py',
      'env/bin/pip install --no-index --disable-pip-version-check *.whl',
    ],
    run: 'env/bin/python test.py',
  },
  {
    name: 'Go builds and runs',
    needs: ['go'],
    files: {
      'go.mod': 'module a.example/a\n\nrequire a.example/one v1.0.0\nreplace a.example/one => ./one\n',
      'main.go': 'package main\n\nimport "a.example/one"\n\nfunc main() { println(one.Text) }\n',
      'one/go.mod': 'module a.example/one\n',
      'one/one.go': 'package one\n\nconst Text = "works"\n',
    },
    setup: ['go build -o built ./...'],
    run: './built 2>&1',
  },
  {
    name: 'Cargo builds and runs',
    needs: ['cargo'],
    files: {
      'Cargo.toml':
        '[package]\nname = "a"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\none = { path = "one" }\n',
      'src/main.rs': 'fn main() { println!("{}", one::TEXT); }\n',
      'one/Cargo.toml': '[package]\nname = "one"\nversion = "1.0.0"\nedition = "2021"\n',
      'one/src/lib.rs': 'pub const TEXT: &str = "works";\n',
    },
    setup: ['cargo build'],
    run: 'cargo run --quiet',
  },
  {
    name: 'Java compiles and runs, and Maven reads a project',
    needs: ['javac', 'mvn'],
    files: {
      'pom.xml':
        '<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version><packaging>pom</packaging></project>',
      'A.java': 'class A { public static void main(String[] words) { System.out.println("works"); } }',
    },
    setup: ['mvn --batch-mode --offline validate', 'javac A.java'],
    run: 'java A',
  },
];

describe('a toolchain of this machine works in the sandbox', { tags: ['bubblewrap'] }, () => {
  for (const { name, needs, files, setup, run } of toolchains) {
    test(name, { timeout: 120_000, tags: needs }, async () => {
      const on = await agentFixture(files);
      const outcome = await verifyBy({ test: run }, on, { settings: { setup } });
      expect(outcome.kind === 'failed' ? outcome.failure.message : outcome.kind).toBe('verified');
      expect(outcome).toMatchObject({ verifiers: [{ exit_code: 0, stdout: 'works\n' }] });
    });
  }
});
