import type { TestFailure, VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/cut.ts';
import { list, newest, oneLine, paragraphs } from './text.ts';

const maxFailures = 20;
const maxName = 500;
const maxMessage = 500;

/**
 * What a failed verifier has said, in at most so many characters: the tests that failed, then the end of its
 * output, which has half of the room or more. Others wrote all of it, so it is to be quoted.
 */
export function saidBy({ tests, stdout, stderr }: VerifierOutput, maxLength: number): string {
  const output = paragraphs(stdout.trim(), stderr.trim());
  if (tests === undefined || tests.failures.length === 0) return newest(output, maxLength);
  let room = maxLength / 2;
  const items = tests.failures.slice(0, maxFailures).map((each) => list([failureText(each)]));
  const fitting = items.filter((item) => {
    room -= item.length;
    return room > 0;
  });
  const first = fitting.length < tests.failed ? ', beginning with' : '';
  const failed = `${tests.failed} of ${tests.total} tests failed${first}:\n${fitting.join('\n')}`;
  return paragraphs(failed, newest(output, maxLength - failed.length));
}

function failureText({ name, message, path, line }: TestFailure): string {
  const place = path === undefined ? '' : ` (${path}${line === undefined ? '' : `:${line}`})`;
  const why = message === '' ? '' : `:\n${shortened(message, maxMessage)}`;
  return `${shortened(oneLine(`${name}${place}`), maxName)}${why}`;
}
