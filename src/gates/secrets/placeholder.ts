import { anyOf } from '../../text/pattern/any-of.ts';
/** Whether nobody takes a value for a secret: an example, a reference, or typed without thought. */
export function isPlaceholder(value: string): boolean {
  return (
    reference.test(value) ||
    fakeWord.test(value) ||
    runs.test(value) ||
    sequences.some((sequence) => value.toLowerCase().includes(sequence)) ||
    new Set(value).size < Math.min(6, value.length / 2)
  );
}

/** It stands for what comes from somewhere else. */
const reference = anyOf([
  String.raw`^[<{[%$]|\$\{|\$\(|\{\{|<[\w -]+>|%[A-Z_]+%|^\$?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`,
  String.raw`\bprocess\.env\b|\bos\.environ\b|\bsecrets\.|\bvault:|\bENC\[|^!|^arn:|\*{3}|\.{3}|…`,
]);

const fakeWord = anyOf(
  [
    'example|sample|dummy|placeholder|change[-_]?(?:me|it)|replace|redacted|your[-_a-z]',
    '[-_]?fake|not[-_]?(?:a[-_])?(?:real|secret)|mock|insert|todo|fixme|foobar|lorem|xxxx',
    'secret[-_]?key[-_]?here|for[-_]?test|^test',
    'test(?:ing)?[-_]?(?:token|key|secret|password|only|value)',
    '(?:token|key|secret|password)[-_]?test',
    '^(?:my|some|the|a|super)[-_]?(?:secret|password|token|key)|^p[a4@][s5$]{2}w[o0]rd',
    String.raw`^(?:admin|root|postgres|mysql|user|guest|secret|passw|letmein|default|redis|rabbitmq|mongo|minio|hunter2|dev|local|pass|pwd|none|null|undefined|true|false)\w{0,8}$`,
  ],
  'i',
);

/** The same four characters or more, one after the other. */
const runs = /(.)\1{4,}|(.{2,4})\2{3,}/;

const sequences = [
  '12345678',
  '01234567',
  'abcdefgh',
  '0123456789',
  'deadbeef',
  'cafebabe',
  'qwertyui',
  '87654321',
];
