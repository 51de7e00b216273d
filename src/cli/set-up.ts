import { fileURLToPath } from 'node:url';
import { defined } from '../config/defined.ts';
import { startSetup } from './setup/setup.ts';
import { nextSteps } from './setup/setup-result.ts';
import { type CommandFile, portOption } from './terminal/command-file.ts';
import { UsageError } from './terminal/exit.ts';

/** `coxswain setup`. */
export const setUp: CommandFile<Options> = {
  about:
    'Registers your own App on GitHub: serves a page on this machine that sends the manifest to GitHub, and ' +
    "saves the App's settings and key in files that only you can read.",
  takes: (command) =>
    command
      .option('--organization <name>', 'the organization that owns the App (default: your own account)')
      .option('--github-url <url>', 'a GitHub Enterprise Server (default: https://github.com)')
      .option('--out <file>', 'file for the settings (default: .env)')
      .option('--port <number>', 'port of the page (default: any free port)'),
  examples: { 'setup --organization acme': 'an App that belongs to acme' },
  run: register,
};

interface Options {
  readonly organization?: string;
  readonly githubUrl?: string;
  readonly out?: string;
  readonly port?: string;
}

async function register(values: Options): Promise<number> {
  const port = portOption(values.port);
  checkAddress(values.githubUrl);
  const setup = await startSetup({
    appYml: fileURLToPath(new URL('../../app.yml', import.meta.url)),
    ...defined({
      organization: values.organization,
      githubUrl: values.githubUrl,
      out: values.out,
      port,
    }),
  });
  process.stdout.write(`Open ${setup.url}\n`);
  return report(await setup.done);
}

/** Throws `UsageError` for what cannot be the address of a GitHub. */
function checkAddress(value = 'https://github.com'): void {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return;
  throw new UsageError(
    `--github-url is ${JSON.stringify(value)}: expected an address, as in --github-url https://github.example.org`,
  );
}

type Result = Awaited<Awaited<ReturnType<typeof startSetup>>['done']>;

function report(result: Result): number {
  switch (result.outcome) {
    case 'registered':
      process.stdout.write(`Registered ${result.slug} (APP_ID ${result.app_id}).\n${stepsOf(result)}`);
      return 0;
    case 'unsaved':
      process.stderr.write(
        `The App is registered, but its secrets could not be saved: ${result.problem}\nSee ${result.settings_url}\n`,
      );
      return 1;
    case 'expired':
      process.stderr.write('Setup was not finished in time; start it again.\n');
      return 1;
    case 'stopped':
      return 1;
  }
}

function stepsOf(result: Parameters<typeof nextSteps>[0]): string {
  const lines = nextSteps(result).map(({ text, run, open }, index) => {
    const what = run ?? open;
    return `${index + 1}. ${text}${what === undefined ? '.' : `: ${what}`}\n`;
  });
  return lines.join('');
}
