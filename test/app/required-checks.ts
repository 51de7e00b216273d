import { type AppFixture, name } from './app-fixture.ts';

/** Protects branches (the default one, if none are named) as our README says: with checks of our App. */
export function requireChecks(
  { forge, accounts }: Pick<AppFixture, 'forge' | 'accounts'>,
  contexts: readonly string[] = ['Coxswain', 'Coxswain / test'],
  include?: string[],
): void {
  const { id: integration_id } = accounts.registered;
  const required_status_checks = contexts.map((context) => ({ context, integration_id }));
  forge.seed.addRuleset(name, {
    ...(include && { include }),
    rules: [{ type: 'required_status_checks', parameters: { required_status_checks } }],
  });
}
