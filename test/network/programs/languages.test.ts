import { describe, expect, test } from 'vitest';
import { inside, type Said } from './inside.ts';
import { archive, basic, filesFor, registry, secret, sha, zip } from './packages.ts';

/** Fails with what a program said. */
function succeeds({ stdout, stderr, exitCode }: Said): string {
  expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** The usual things to do in each language, with a package from a registry that wants a token. */
describe('behind an egress', { tags: ['bubblewrap'], timeout: 120_000 }, () => {
  test('Python: venv, pip', { tags: ['pip3'] }, async () => {
    const wheel = zip({
      'one.py': 'said = "hello from one"\n',
      'one-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: one\nVersion: 1.0\n',
      'one-1.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      'one-1.0.dist-info/RECORD': '',
    });
    const { origin } = await filesFor(basic, (at) => ({
      '/simple/one/': `<a href="${at}/simple/files/one-1.0-py3-none-any.whl">one-1.0-py3-none-any.whl</a>`,
      '/simple/files/one-1.0-py3-none-any.whl': wheel,
    }));
    const registries = [registry('pypi', `${origin}/simple/`)];
    const { sh } = await inside({ reach: ['registries'], registries });
    const said = await sh(
      `python3 -m venv v && v/bin/pip install -q --disable-pip-version-check one && v/bin/python -c 'import one; print(one.said)'`,
    );
    expect(succeeds(said)).toBe('hello from one\n');
  });

  test('Go: build, test', { tags: ['go', 'python3'] }, async () => {
    const version = 'v1.0.0';
    const mod = 'module corp.example/one\n\ngo 1.19\n';
    const { origin, asked } = await filesFor(`Bearer ${secret}`, () => ({
      '/go/corp.example/one/@v/list': `${version}\n`,
      [`/go/corp.example/one/@v/${version}.info`]: JSON.stringify({ Version: version }),
      [`/go/corp.example/one/@v/${version}.mod`]: mod,
      [`/go/corp.example/one/@v/${version}.zip`]: zip({
        [`corp.example/one@${version}/go.mod`]: mod,
        [`corp.example/one@${version}/one.go`]: 'package one\n\nfunc Two() int { return 2 }\n',
      }),
    }));
    const registries = [registry('go', `${origin}/go/`)];
    const { put, sh, egress } = await inside({ reach: ['registries'], registries });
    put({
      'a/go.mod': 'module a\n\ngo 1.19\n',
      'a/a.go': 'package main\n\nimport "corp.example/one"\n\nfunc main() { println(one.Two()) }\n',
      'a/a_test.go':
        'package main\n\nimport ("corp.example/one"; "testing")\n\nfunc TestTwo(t *testing.T) { if one.Two() != 2 { t.Fail() } }\n',
    });
    succeeds(await sh('cd a && go get corp.example/one && go build -o a . && ./a'));
    expect(asked.at(-1)).toMatch(/zip$/);
    // A module that is private is nobody else's business.
    expect(egress.takeBlocked()).toEqual([]);
    const tested = await sh(`cd a && GOPROXY=off go test ./... && cd "$HOME" && ls go/pkg/mod .cache`);
    expect(succeeds(tested)).toMatch(/^ok\s+a\s.*^go-build$.*^corp\.example$/ms);
  });

  test('Rust: cargo build, cargo test', { tags: ['cargo'] }, async () => {
    const crate = archive({
      'one-1.0.0/Cargo.toml': '[package]\nname = "one"\nversion = "1.0.0"\nedition = "2021"\n',
      'one-1.0.0/src/lib.rs': 'pub fn two() -> i32 { 2 }\n',
    });
    const [name, vers] = ['one', '1.0.0'];
    const cksum = sha('sha256', crate).digest('hex');
    const line = { name, vers, deps: [], features: {}, yanked: false, cksum };
    const { origin } = await filesFor(secret, (at) => ({
      '/cargo/config.json': `{"dl": "${at}/cargo/dl/{crate}/{version}/download", "auth-required": true}`,
      '/cargo/3/o/one': `${JSON.stringify(line)}\n`,
      '/cargo/dl/one/1.0.0/download': crate,
    }));
    const registries = [registry('cargo', `${origin}/cargo/`)];
    const { put, sh } = await inside({ reach: ['registries'], registries });
    put({
      'a/.cargo/config.toml': `[registries.corp]\nindex = "sparse+${origin}/cargo/"\n`,
      'a/Cargo.toml':
        '[package]\nname = "a"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\none = { version = "1", registry = "corp" }\n',
      'a/src/lib.rs': '#[test]\nfn two() { assert_eq!(one::two(), 2); }\n',
    });
    const said = succeeds(
      await sh('cd a && cargo build && cargo test --offline --lib && ls ../.cargo/registry/cache/*'),
    );
    expect(said).toMatch(/test two \.\.\. ok.*one-1\.0\.0\.crate/s);
  });

  test('Java: Maven', { tags: ['mvn'] }, async () => {
    const corp = '<groupId>corp</groupId><artifactId>one</artifactId><version>1</version>';
    const model = '<modelVersion>4.0.0</modelVersion>';
    const { origin, asked } = await filesFor(`Bearer ${secret}`, () => ({
      '/maven/corp/one/1/one-1.pom': `<project>${model}${corp}<packaging>pom</packaging></project>`,
    }));
    const registries = [registry('maven', `${origin}/maven/`)];
    const { put, sh } = await inside({ reach: ['registries'], registries });
    const parent = `<parent>${corp}<relativePath/></parent>`;
    put({
      'pom.xml': `<project>${model}${parent}<artifactId>two</artifactId><packaging>pom</packaging></project>`,
    });
    expect(succeeds(await sh('mvn -B validate'))).toContain('BUILD SUCCESS');
    expect(asked).toContain('/maven/corp/one/1/one-1.pom');
  });

  test('Java: a program in one file', { tags: ['javac'] }, async () => {
    const { put, sh } = await inside();
    put({
      'A.java':
        'class A { public static void main(String[] a) { System.out.println(System.getProperty("user.home")); } }\n',
    });
    expect(succeeds(await sh('java A.java && pwd'))).toMatch(/^(\S+)\n\1\n$/);
  });
});
