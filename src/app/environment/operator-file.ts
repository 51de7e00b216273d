import { readFileSync } from 'node:fs';
import { noOperatorFile, type OperatorFile } from '../../config/operator/operator-schema.ts';
import { readOperatorFile } from '../../config/operator/read-operator-file.ts';
import type { Operator } from '../../config/read.ts';
import { problemLines } from '../../config/schema/config-problem.ts';
import type { AppSettings } from './settings.ts';
import { EnvironmentError } from './values.ts';
import type { Variables } from './variables.ts';

/** The operator's file that the environment names, if any. Throws `EnvironmentError` with all its problems. */
export function operatorFileIn(variables: Variables): OperatorFile {
  const path = variables['COXSWAIN_OPERATOR_FILE'] ?? '';
  if (path === '') return noOperatorFile;
  const reading = readOperatorFile(textOf(path), variables);
  if (reading.outcome === 'read') return reading.file;
  const listed = reading.problems.map(problemLines);
  const count = listed.length === 1 ? 'a problem' : `${listed.length} problems`;
  throw new EnvironmentError(`COXSWAIN_OPERATOR_FILE is ${path}, which has ${count}:\n${listed.join('\n')}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new EnvironmentError(`COXSWAIN_OPERATOR_FILE is ${path}, which could not be read`, { cause });
  }
}

/**
 * What the operator allows, for reading the configurations of repositories: of the sandbox, what this App
 * itself is content with.
 */
export function operatorOf({ operatorFile, sandbox }: AppSettings): Operator {
  const { bounds, defaults } = operatorFile;
  return { bounds: { ...bounds, sandbox }, defaults };
}
