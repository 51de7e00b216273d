/** The environment is incomplete or invalid; each problem says what to change. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const all = typeof problems === 'string' ? [problems] : problems;
    super(all.length === 1 ? all[0] : `${all.length} settings are wrong:\n${listOf(all)}`, options);
    this.problems = all;
  }
}

function listOf(problems: readonly string[]): string {
  return problems.map((problem) => `- ${problem.replaceAll('\n', '\n  ')}`).join('\n');
}
