import { anyOf } from '../../text/pattern/any-of.ts';
import type { Assertion } from './assertion.ts';
import { type FileReading, testAround, type Version } from './reading.ts';
import type { SourceLine } from './source-line.ts';
import { endOf } from './test-blocks.ts';

/** Code that may run after the test has ended, or not at all. */
const later = anyOf([
  String.raw`\w\.(?:launch|async)\s*(?:\([^{]*\))?\s*\{`,
  String.raw`\bthread\s*(?:\([^{]*\))?\s*\{|\bThread(?:\.new|\.start\w*)?\b\s*[({d]`,
  String.raw`\b(?:thread|tokio|task)::spawn\w*\(|\btokio::task::spawn\w*\(`,
  String.raw`^\s*go\s+func\b`,
  String.raw`\bTask(?:\.Run\(|\.detached|\.Factory\b|\s*\{)|\bDispatchQueue\b`,
  String.raw`\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\(`,
  String.raw`\.(?:submit|execute|schedule|runAsync|supplyAsync)\(`,
  String.raw`\+=\s*(?:async\s*)?(?:\(?[\w, ]*\)?\s*=>|delegate\b)`,
  String.raw`\.(?:on|once|addListener|addEventListener|subscribe|whenComplete|thenAccept)\(`,
  String.raw`\.on[A-Z]\w*\s*=(?!=)`,
  // What fails in here is a value, which nobody looks at.
  String.raw`\brunCatching\s*\{|\bRecord\.Exception\w*\(|\bcatch_unwind\(`,
]);

/** Something waits for that code, or counts that it ran. */
const waits = anyOf([
  String.raw`\b(?:await|join|joinAll|join_all|Join|wait|Wait\w*|waitFor\w*|get|advance\w+|runCurrent|flush\w*|drain\w*)\b\s*!?\(?`,
  String.raw`\b(?:done|fulfill|countDown|resolve|reject|signal|release|trigger|emit|fulfillment|recv|value)\b`,
  String.raw`<-|\.await\b|\bshutdown\w*|\bexpectation\b|\bassertions\(`,
]);

/** Whether an assertion that stood in the test itself now stands in code that nobody waits for. */
export function isDeferred({ new: version, old }: FileReading, next: Assertion, was: Assertion): boolean {
  const { index } = next;
  const own = version.lines[index];
  if (!was.changed || (own?.indent ?? 0) <= (old.lines[was.index]?.indent ?? 0)) return false;
  const block = testAround(version, index);
  const from = Math.max(0, index - 30, (block?.head ?? -1) + 1);
  for (let at = index - 1, indent = own?.indent ?? 0; at >= from; at--) {
    const above = version.lines[at];
    if (above === undefined || above.hunk !== own?.hunk) return false;
    if (above.blank || above.indent >= indent) continue;
    indent = above.indent;
    const head = above.changed ? openerOf(version, at) : undefined;
    if (head === undefined) continue;
    if (old.lines.some(({ code }) => code.trim() === head.code.trim())) return false;
    return !isAwaited(version, at, block?.end ?? version.lines.length);
  }
  return false;
}

/** The bracket of a handler may stand on a line of its own. */
function openerOf({ lines }: Version, index: number): SourceLine | undefined {
  const line = lines[index];
  const head = /^\s*\{\s*$/.test(line?.code ?? '') ? lines[index - 1] : line;
  return head !== undefined && !waits.test(head.code) && later.test(head.code) ? head : undefined;
}

const signals = anyOf([
  String.raw`\b(?:done|fulfill|countDown|resolve|reject|signal|release|trigger|Done|SetResult|send)\b|<-`,
  String.raw`\b(?:getOrThrow|exceptionOrNull|isSuccess|isFailure|unwrap)\b`,
]);

function isAwaited({ lines }: Version, opener: number, end: number): boolean {
  const inner = lines.slice(opener, endOf(lines, opener));
  const after = lines.slice(endOf(lines, opener), end);
  return after.some(({ code }) => waits.test(code)) || inner.some(({ code }) => signals.test(code));
}
