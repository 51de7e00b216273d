/**
 * The hosts of public registries of packages: where each tool looks by default, and where its downloads come
 * from. Anybody may publish there, so a program that reaches them can also send something out.
 */
export const publicRegistries: readonly string[] = [
  // npm, Yarn, pnpm, Bun
  ...['registry.npmjs.org', 'registry.npmjs.com', 'registry.yarnpkg.com', 'npm.jsr.io'],
  // Node.js itself, for corepack, nvm and the headers that node-gyp needs
  ...['nodejs.org', 'repo.yarnpkg.com'],
  // Deno
  ...['jsr.io', 'deno.land'],
  // Python
  ...['pypi.org', 'files.pythonhosted.org', 'conda.anaconda.org', 'repo.anaconda.com'],
  // Go
  ...['proxy.golang.org', 'sum.golang.org'],
  // Rust
  ...['crates.io', 'index.crates.io', 'static.crates.io', 'static.rust-lang.org'],
  // Java, Kotlin, Scala, Clojure
  ...['repo.maven.apache.org', 'repo1.maven.org', 'maven.google.com', 'dl.google.com'],
  ...['repo.scala-sbt.org', 'repo.clojars.org'],
  ...['plugins.gradle.org', 'plugins-artifacts.gradle.org', 'services.gradle.org', 'downloads.gradle.org'],
  // Ruby
  ...['rubygems.org', 'index.rubygems.org', 'api.rubygems.org', 'bundler.rubygems.org'],
  // PHP
  ...['packagist.org', 'repo.packagist.org', 'getcomposer.org'],
  // .NET
  ...['api.nuget.org', 'globalcdn.nuget.org'],
  // Elixir, Erlang
  ...['hex.pm', 'repo.hex.pm', 'builds.hex.pm'],
  // Dart, Haskell, OCaml, Lua, Perl, R, Julia, Swift's CocoaPods
  ...['pub.dev', 'hackage.haskell.org', 'opam.ocaml.org', 'luarocks.org'],
  ...['cpan.metacpan.org', 'fastapi.metacpan.org', 'cloud.r-project.org', 'cran.r-project.org'],
  ...['pkg.julialang.org', 'storage.julialang.net', 'cdn.cocoapods.org'],
];
