import { settings } from './variables.ts';

/** Generates `docs/environment.md` from the settings, so that the two cannot differ. */
export function environmentReference(): string {
  const rows = settings.map(({ names, about }) => {
    return `| ${names.map((name) => `\`${name}\``).join(', ')} | ${about.replaceAll('|', '\\|')} |\n`;
  });
  return `# The environment of the App

<!-- Written from src/app/environment/variables.ts by \`npx vitest run test/app/environment -u\`. -->

\`coxswain serve\`, \`coxswain doctor\` and \`coxswain seal\` read these variables, also from \`.env\` in the folder where they are started.
An empty variable counts as one that is not set.
All problems are told at once, and a misspelt \`COXSWAIN_…\` is one of them.
The Action has inputs instead ([docs/action.md](action.md)).

| variable | what for |
|---|---|
${rows.join('')}`;
}
