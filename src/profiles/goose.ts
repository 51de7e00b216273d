import { type Given, inBaseDirectories, modelKeys, type NamedProfile, usualExitCode } from './profile.ts';

export const goose: NamedProfile = {
  name: 'goose',
  title: 'Goose',
  asks: 'every_call',
  keys: modelKeys,
  takes: { model: true, effort: false },
  paths: {
    home: ['.goose', ...inBaseDirectories('goose')],
    workspace: ['.goose'],
    instructions: ['.goosehints', '.goosehints.local'],
  },
  recipe: {
    configuration: '`agent: { use: goose, model: gpt-5.5 }`, with `goose` on the search path',
    key: 'that of the provider',
  },
  launch: {
    page: 'https://block.github.io/goose/docs/getting-started/installation',
    bin: 'goose',
    args: ['acp', '--with-builtin', 'developer'],
  },
  environment: (given) => ({
    ...provider(given),
    // By itself it asks nobody.
    GOOSE_MODE: 'approve',
    GOOSE_DISABLE_KEYRING: '1',
    GOOSE_TELEMETRY_ENABLED: 'false',
  }),
  reading: { exitCode: usualExitCode },
};

/** Its addresses are without a path. */
function provider({ choice: { model }, models }: Given): Readonly<Record<string, string>> {
  const { ANTHROPIC_BASE_URL: anthropic, OPENAI_BASE_URL: openai, GOOGLE_GEMINI_BASE_URL: google } = models;
  const name = [anthropic && 'anthropic', openai && 'openai', google && 'google'].find(Boolean);
  return {
    ...(name !== undefined && { GOOSE_PROVIDER: name }),
    ...(model !== undefined && { GOOSE_MODEL: model }),
    ...(anthropic !== undefined && { ANTHROPIC_HOST: anthropic }),
    ...(openai !== undefined && { OPENAI_HOST: openai.replace(/\/v1$/, '') }),
    ...(google !== undefined && { GOOGLE_HOST: google }),
  };
}
