import { pino } from 'pino';
import { type AppEnvironment, readEnvironment } from '../../app/environment/environment.ts';
import { EnvironmentError } from '../../app/environment/environment-error.ts';
import { examine } from './examine.ts';
import { type Examined, problem } from './finding.ts';

/** Everything that doctor looks at; `repository` is `owner/name`, and all repositories by default. */
export async function lookAt(
  variables: Parameters<typeof readEnvironment>[0],
  repository: string | undefined,
): Promise<readonly Examined[]> {
  const environment = environmentOrProblem(variables);
  if ('about' in environment) return [environment];
  return examine(environment, repository, pino({ level: 'silent' }));
}

/** Everything else needs the environment, so nothing is looked at without it. */
function environmentOrProblem(variables: Parameters<typeof readEnvironment>[0]): AppEnvironment | Examined {
  try {
    return readEnvironment(variables);
  } catch (fault) {
    if (!(fault instanceof EnvironmentError)) throw fault;
    const remedy = 'Set it in the environment or in .env';
    const findings = fault.problems.map((each) => problem('environment', each, remedy));
    return { about: 'The environment', findings };
  }
}
