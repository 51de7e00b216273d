/** What a scanner must know of a language to tell code from strings and comments. */
export interface Language {
  readonly family: Family;
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  readonly strings: readonly StringForm[];
  /** A comment sign counts only where a word could begin, as in a shell. */
  readonly commentsAtWords?: true;
  /** `/…/` where a value is expected. */
  readonly regexLiterals?: true;
  /** `<<~END` up to a line `END`. */
  readonly heredocs?: true;
}

export interface StringForm {
  readonly open: string;
  readonly close: string;
  readonly multiline?: true;
  readonly raw?: true;
}

/** Languages whose tests are written alike. */
export type Family =
  | 'script'
  | 'python'
  | 'go'
  | 'jvm'
  | 'ruby'
  | 'rust'
  | 'csharp'
  | 'php'
  | 'swift'
  | 'elixir'
  | 'cpp'
  | 'shell'
  | 'make'
  | 'yaml'
  | 'ini'
  | 'json'
  | 'xml'
  | 'text';

const quote: StringForm = { open: '"', close: '"' };
const apostrophe: StringForm = { open: "'", close: "'" };
const tripleQuote: StringForm = { open: '"""', close: '"""', multiline: true };
const cComments = [['/*', '*/']] as const;

const script: Language = {
  family: 'script',
  lineComments: ['//'],
  blockComments: cComments,
  strings: [quote, apostrophe, { open: '`', close: '`', multiline: true }],
  regexLiterals: true,
};
const python: Language = {
  family: 'python',
  lineComments: ['#'],
  blockComments: [],
  strings: [tripleQuote, { open: "'''", close: "'''", multiline: true }, quote, apostrophe],
};
const go: Language = {
  family: 'go',
  lineComments: ['//'],
  blockComments: cComments,
  strings: [quote, apostrophe, { open: '`', close: '`', multiline: true, raw: true }],
};
const jvm: Language = {
  family: 'jvm',
  lineComments: ['//'],
  blockComments: cComments,
  strings: [tripleQuote, quote, apostrophe],
};
const ruby: Language = {
  family: 'ruby',
  lineComments: ['#'],
  blockComments: [['=begin', '=end']],
  strings: [quote, apostrophe],
  commentsAtWords: true,
  heredocs: true,
};
const rust: Language = {
  family: 'rust',
  lineComments: ['//'],
  blockComments: cComments,
  strings: [
    { open: 'r#"', close: '"#', multiline: true, raw: true },
    // A quotation mark as a single character; other apostrophes may be lifetimes.
    { open: `'"'`, close: '' },
    { open: '"', close: '"', multiline: true },
  ],
};
const csharp: Language = { ...jvm, family: 'csharp' };
const php: Language = {
  family: 'php',
  lineComments: ['//', '# '],
  blockComments: cComments,
  strings: [quote, apostrophe],
};
const swift: Language = { ...jvm, family: 'swift', strings: [tripleQuote, quote] };
const elixir: Language = { ...ruby, family: 'elixir', strings: [tripleQuote, quote] };
const cpp: Language = { ...jvm, family: 'cpp', strings: [quote, apostrophe] };
const shell: Language = {
  family: 'shell',
  lineComments: ['#'],
  blockComments: [],
  strings: [quote, { ...apostrophe, raw: true }],
  commentsAtWords: true,
  heredocs: true,
};

/** Of these only comments are told apart: their values are written without quotes as often as with them. */
function settings(family: Family, lineComments: readonly string[]): Language {
  return { family, lineComments, blockComments: [], strings: [], commentsAtWords: true };
}

const byEnding: Readonly<Record<string, Language>> = {
  ...each('ts tsx mts cts js jsx mjs cjs vue svelte', script),
  ...each('py pyi', python),
  ...each('go', go),
  ...each('java kt kts scala groovy gradle jenkinsfile', jvm),
  ...each('rb rake gemspec ru rakefile gemfile', ruby),
  ...each('rs', rust),
  ...each('cs fs vb', csharp),
  ...each('php', php),
  ...each('swift', swift),
  ...each('ex exs', elixir),
  ...each('c cc cpp cxx h hpp m mm dart', cpp),
  ...each('sh bash bats zsh', shell),
  ...each('makefile mk gnumakefile justfile', settings('make', ['#'])),
  ...each('yml yaml', settings('yaml', ['#'])),
  ...each('ini cfg toml rspec coveragerc conf dockerfile', settings('ini', ['#', ';'])),
  ...each('json jsonc json5 nycrc mocharc c8rc taprc', settings('json', ['//'])),
  ...each('xml dist csproj props', { ...settings('xml', []), blockComments: [['<!--', '-->']] }),
};

const text: Language = settings('text', []);

/** By the ending of the path, or by the whole name of a file without one. */
export function languageOf(path: string): Language {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return byEnding[name.slice(name.lastIndexOf('.') + 1)] ?? text;
}

function each(endings: string, language: Language): Record<string, Language> {
  return Object.fromEntries(endings.split(' ').map((ending) => [ending, language]));
}
