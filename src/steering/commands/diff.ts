import { command } from './spec.ts';

interface DiffCommand {
  readonly type: 'diff';
  readonly path: string | null;
  readonly full: boolean;
}

/** Shows the changes of the run. */
export const diff = command<DiffCommand>()({
  usage: '/diff [path] [--full]',
  summary: 'Show the changes of the run, or of one file, folder or glob; `--full` requires write access.',
  needs: 'read',
  isQuery: true,
  example: '',
  needsMore: ({ full }) => (full ? { role: 'write', why: '--full' } : undefined),
  parse: ({ line }) => {
    const words = line.split(/\s+/).filter((word) => word !== '');
    const paths = words.filter((word) => word !== '--full');
    if (paths.length > 1) return { problem: `expected one path, got ${paths.length}` };
    return { type: 'diff', path: paths[0] ?? null, full: paths.length < words.length };
  },
  print: ({ path, full }) => [path ?? [], full ? '--full' : []].flat().join(' '),
});
