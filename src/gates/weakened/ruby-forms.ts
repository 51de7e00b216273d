import type { Piece } from './calls.ts';
import { blankStrings } from './conditions.ts';

/** Ruby's assertions as they would be written with brackets, and RSpec's old `should` as `expect`. */
export function bracketed(piece: Piece): Piece {
  const listed = withLists(piece);
  return withBrackets(listed) ?? expectation(listed) ?? listed;
}

/** `%w[a b]` as `["a", "b"]`. */
function withLists(piece: Piece): Piece {
  let { text, code } = piece;
  for (let found = wordList.exec(code); found !== null; found = wordList.exec(code)) {
    const [from, to] = [found.index, found.index + found[0].length];
    const words = text
      .slice(from + 3, to - 1)
      .trim()
      .split(/\s+/);
    const list = `["${words.join('", "')}"]`;
    text = text.slice(0, from) + list + text.slice(to);
    code = code.slice(0, from) + blankStrings(list) + code.slice(to);
  }
  return { text, code };
}

const wordList = /%w(?:\[[^\][#]*\]|\([^()#]*\))/;

/** `assert_equal 5, total do`: what is asserted ends where a block begins. */
function withBrackets({ text, code }: Piece): Piece | undefined {
  const found = /^(?:assert|refute)\w*[?!]?[ \t]+(?=[^\s=(])/.exec(code);
  if (found === null) return undefined;
  const name = found[0].trimEnd();
  const block = code.search(/\s+do\b(?:\s*\|[^|]*\|)?/);
  const condition = code.search(/\s(?:if|unless)\s/);
  const ends = [block, condition].filter((at) => at > 0);
  const end = ends.length === 0 ? code.length : Math.min(...ends);
  const inside = (of: string) => `${name}(${of.slice(found[0].length, end).trimEnd()})`;
  return { text: inside(text), code: inside(code) };
}

/** `total.should == 5` */
function expectation({ text, code }: Piece): Piece | undefined {
  const found = /^(.+?)\.should(_not)?\s+(==\s*)?(?=\S)/.exec(code);
  if (found === null || /^expect\b/.test(code)) return undefined;
  const [whole, subject = '', not = '', equals] = found;
  const written = (of: string) => {
    const left = of.slice(0, subject.length);
    const [, count, items] = /^have\((\d+)\)\.(\w+)/.exec(of.slice(whole.length)) ?? [];
    if (count !== undefined) return `expect(${left}.${items}.size).to${not} eq(${count})`;
    const block = /^(?:lambda|proc|->)\s*(\{.*\})$/.exec(left)?.[1];
    const right = of.slice(whole.length);
    const matcher = equals === undefined ? right : `eq(${right})`;
    return `expect${block === undefined ? `(${left})` : ` ${block}`}.to${not} ${matcher}`;
  };
  return { text: written(text), code: written(code) };
}
