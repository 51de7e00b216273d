import { shortSha } from '../phrases/short-sha.ts';
import type { CommandSpec } from './spec.ts';

export interface ApproveCommand {
  readonly type: 'approve';
  readonly sha: string | null;
  readonly despite: readonly string[];
}

const sha = /^[0-9a-f]{7,40}$/i;

/** Approves the commit under review, or lets the next stage begin. */
export const approve: CommandSpec<ApproveCommand> = {
  name: 'approve',
  usage: '/approve [sha] [--despite <verifier>]',
  summary:
    'Approve the commit under review, or the plan or stage on show. ' +
    '`--despite` overrides a failing verifier; this is recorded and requires maintain or admin.',
  needs: 'write',
  example: '',
  parse: ({ line }) => {
    const words = line.split(/\s+/).filter((word) => word !== '');
    const despite: string[] = [];
    let named: string | null = null;
    for (let word = words.shift(); word !== undefined; word = words.shift()) {
      if (word === '--despite') {
        const verifier = words.shift();
        if (verifier === undefined) return { problem: '`--despite` needs the name of a verifier' };
        despite.push(verifier);
      } else if (sha.test(word) && named === null) named = word.toLowerCase();
      else return { problem: `\`${word}\` is neither a commit SHA nor an option` };
    }
    return { type: 'approve', sha: named, despite };
  },
  print: ({ sha: named, despite }) =>
    [named === null ? [] : shortSha(named), despite.map((verifier) => `--despite ${verifier}`)]
      .flat(2)
      .join(' '),
};
