import type { GateHit } from '../../steering/attempt-result.ts';
import { inertTitle } from '../words/index.ts';
import { type Annotation, lastLine, maxAnnotations } from './annotations.ts';

/** The lines of code because of which people are asked, in the files view of the pull request. */
export function gateAnnotations(gates: readonly GateHit[]): readonly Annotation[] {
  return gates
    .flatMap(({ path, line, ...hit }) =>
      path === undefined || line === undefined || line > lastLine ? [] : [annotationOf({ path, line }, hit)],
    )
    .slice(0, maxAnnotations);
}

interface Line {
  readonly path: string;
  readonly line: number;
}

function annotationOf(
  { path, line }: Line,
  { rule, severity, evidence, allows }: Omit<GateHit, 'path' | 'line'>,
): Annotation {
  const means = allows === undefined ? '' : `. Approving it means: ${allows}`;
  return {
    ...{ path, start_line: line, end_line: line },
    annotation_level: severity === 'low' ? 'notice' : 'warning',
    message: inertTitle(`${rule} (${severity}): ${evidence}${means}`, 1000),
  };
}
