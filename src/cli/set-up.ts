import { fileURLToPath } from 'node:url';
import { defined } from '../config/defined.ts';
import { portOption, readArguments, UsageError } from './arguments.ts';
import { startSetup } from './setup/setup.ts';
import { nextSteps } from './setup/setup-result.ts';

const help = `Registers your own App on GitHub: serves a page on this machine that sends the manifest to GitHub,
and saves the App's settings and key in files that only you can read.

  --organization <name>   the organization that owns the App (default: your own account)
  --github-url <url>      a GitHub Enterprise Server (default: https://github.com)
  --out <file>            file for the settings (default: .env)
  --port <number>         port of the page (default: any free port)
`;

const options = {
  organization: { type: 'string' },
  'github-url': { type: 'string' },
  out: { type: 'string' },
  port: { type: 'string' },
} as const;

/** `coxswain setup`. */
export async function setUp(argv: readonly string[]): Promise<number> {
  const parsed = readArguments(argv, { help, options });
  if (parsed === undefined) return 0;
  const { values } = parsed;
  const port = portOption(values.port);
  checkAddress(values['github-url']);
  const setup = await startSetup({
    appYml: fileURLToPath(new URL('../../app.yml', import.meta.url)),
    ...defined({
      organization: values.organization,
      githubUrl: values['github-url'],
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
