/** How bad it is what a rule finds, mildest first. */
export const severities = ['low', 'medium', 'high', 'critical'] as const;

export type Severity = (typeof severities)[number];

/** The risk of what was found together: the worst of it; low if nothing was. */
export function riskOf(found: readonly { readonly severity: Severity }[]): Severity {
  return [...severities].reverse().find((each) => found.some(({ severity }) => severity === each)) ?? 'low';
}
