import { anyOf } from '../../text/pattern/any-of.ts';

/** How runners are told what to leave out: by name, mark, package or path. */
const forms: readonly RegExp[] = [
  /(?:-m|-k)[\s=]+(?:\\?["'])?([^"']*\bnot\s+[\w ]+)/g,
  /-x\s+(:?\w*[tT]est\w*)/g,
  /--tag[\s=]+~(\w+)/g,
  /--exclude[\s=](\S+)/g,
  /--filter[\s=]\\?["']?!([^\s"'\\]+)/g,
  /-pl[\s=]["']?!([^\s"']+)/g,
  /-D(?:excludedGroups|surefire\.excludes)=(\S+)/g,
  /\bgo\s+list\b[^)]*\|\s*grep\s+-\w*v\w*\s+["']?([^\s"')]+)/g,
];

/** What nobody wants to run. */
const ordinary = anyOf([
  'node_modules',
  'vendor',
  'third_party',
  String.raw`\bdist\b`,
  'mocks?',
  'generated',
]);

/**
 * What a line with a command leaves out, and what it replaces did not, unless one of the other lines selects
 * just that: the marks `not slow` and `slow` in two steps leave nothing out.
 */
export function newlyLeftOut(
  before: ReadonlySet<string>,
  next: string,
  others: () => readonly string[],
): string | undefined {
  return expressionsIn(next).find((each) => {
    if (before.has(each) || ordinary.test(each)) return false;
    const names = (each.match(/\bnot\s+(\w+)/g) ?? [each]).map((name) => name.replace(/^not\s+/, ''));
    return !names.every((name) => others().some((other) => selects(other, name)));
  });
}

/** What a line with a command leaves out, as its runner is told. */
export function expressionsIn(line: string): readonly string[] {
  // Scripts give each word of a command as a string of its own.
  const words = line.slice(0, 1_000).replace(/["'],\s*["']/g, ' ');
  return forms.flatMap((form) => [...words.matchAll(form)].map(([, given = '']) => given.trim()));
}

function selects(line: string, name: string): boolean {
  return line.includes(name) && !expressionsIn(line).some((each) => each.includes(name));
}
