import { anyOf } from '../../text/pattern/any-of.ts';
import { stem } from './changed-source.ts';
import type { WeakenedTest } from './finding.ts';
import { type FileReading, inTest } from './reading.ts';

const stands = anyOf([
  String.raw`\b(?:jest|vi)\.(?:mock|doMock)\(\s*(?:import\()?["'\x60]([^"'\x60]{1,200})`,
  String.raw`\b(?:patch\.object|monkeypatch\.setattr)\(\s*([\w.]{1,200})\s*,\s*["'](\w{1,100})`,
  String.raw`\b(?:mock\.)?patch\(\s*["']?([\w.]{1,200})`,
  String.raw`\bmonkeypatch\.setattr\(\s*["']?([\w.]{1,200})`,
  String.raw`\b(?:jest|vi)\.spyOn\(\s*([\w.]{1,100})\s*,\s*["'](\w{1,100})`,
  String.raw`\b(?:sinon|sandbox)\.stub\(\s*([\w.]{1,100})\s*,\s*["'](\w{1,100})`,
  String.raw`^\s*([\w.]{1,100})\.(\w{1,100})\s*=\s*(?:lambda\b|async\b|function\b|\([^()]{0,200}\)\s*=>|\w+\s*=>|(?:jest|vi)\.fn\(|sinon\.|(?:mock\.)?(?:Magic|Async)?Mock\()`,
  String.raw`^\s*()(\w{1,100})\s*=\s*func\(`,
  String.raw`\ballow(?:_any_instance_of)?\(([\w:.]{1,100})\)\.to receive\(:([\w?!]{1,100})`,
  String.raw`\ballow(?:_any_instance_of)?\((?:described_class|subject)\)\.to receive\(:([\w?!]{1,100})`,
  String.raw`\bmockk?\(([A-Z]\w{1,100})(?:\.class|::class)`,
  String.raw`\b(?:mockk|mock|Mock|Substitute\.For)<([A-Z]\w{1,100})>\(`,
  String.raw`\b(?:createMock|createStub|getMockBuilder|mock)\(([A-Z]\w{1,100})::class`,
  String.raw`\b(?:instance|class)_double\(([A-Z]\w{1,100}|described_class)\b`,
  String.raw`\b(?:doReturn|when)\(.{0,200}\)\.when\((\w{1,100})\)`,
]);

/** Stand-ins for what a test is about, put into tests that were there before. */
export function mockedSubjects(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings.flatMap((reading) => {
    const { path, file, new: version, old } = reading;
    if (file.status === 'added') return [];
    const wasHere = old.lines.map(({ text }) => text).join('\n');
    return version.lines.flatMap((line, index) => {
      if (!line.changed || line.blank || !version.isTest(index)) return [];
      const found = stands.exec(line.text);
      if (found === null || wasHere.includes(found[0]) || /importActual|requireActual|wraps=/.test(line.text))
        return [];
      const replaced = found.slice(1).filter((part) => part !== undefined);
      if (!isSubject(reading, replaced)) return [];
      const text = `what it tests is replaced: \`${line.text.trim().slice(0, 120)}\`${inTest(version, index)}`;
      return [
        { path, line: line.number, side: 'new' as const, what: 'mocked-subject' as const, evidence: text },
      ];
    });
  });
}

/** The module of the same name as the test, or a function that the test's own assertions call. */
function isSubject({ path, language, new: version }: FileReading, replaced: readonly string[]): boolean {
  const [first = '', method] = replaced;
  const parts = first
    .split(/[./]/)
    .filter((part) => part !== '' && part !== 'py' && !/^[cm]?[jt]sx?$/.test(part));
  const name = method ?? parts.at(-1) ?? '';
  // In Ruby, a call needs no brackets.
  const isCalled = (subject: string) =>
    subject.includes(`${name}(`) || (language.family === 'ruby' && subject.includes(`.${name}`));
  const called = name.length > 2 && version.assertions.some(({ subject }) => isCalled(subject));
  if (first === 'described_class' && method === undefined) return true;
  // A class is named as the file of its tests.
  if (/^[A-Z]\w+$/.test(first) && method === undefined && first.toLowerCase() === stem(path)) return true;
  const module = first.includes('/') ? stem(`${parts.at(-1)}`) : '';
  const isModule = module !== '' && module.replace(/[-_]/g, '') === stem(path).replace(/[-_]/g, '');
  return isModule || (called && (method !== undefined || parts.length > 1));
}
