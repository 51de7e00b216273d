import { anyOf } from '../../../text/pattern/any-of.ts';
import { executedDownload } from '../../downloads.ts';
import { type Command, downloaded } from '../command.ts';
import { commandRule } from '../command-rule.ts';
import { modeOf } from './loosens-permissions.ts';

/** Commands that run what was downloaded, or what they download. */
export const runsRemoteCode = commandRule('runs-remote-code', '', (command) => {
  if (command.file?.includes(downloaded) || command.scripts.some(runsDownload)) return true;
  return preparesDownload(command) || fetchesPackage(command);
});

function runsDownload(script: string): boolean {
  return script.includes(downloaded) || executedDownload([{ number: 1, text: script }]).length > 0;
}

/** `chmod +x` on what was downloaded, `java -jar` of it. */
function preparesDownload(command: Command): boolean {
  const { args, program } = command;
  const isMode = /\+[rw]*x|=[rw]*x|^0?[0-7]{0,2}[1357]/;
  const prepares = program === 'java' || (program === 'chmod' && isMode.test(modeOf(command)));
  return prepares && args.some((argument) => argument.includes(downloaded));
}

/** Programs that fetch a package from wherever they are told, and run it or its set-up. */
const fetching = anyOf([
  '^(?:npx|bunx|pnpx|uvx|pipx (?:run|install)|uv tool (?:run|install)|(?:uv )?pip3? (?:install|wheel)) ',
  '^(?:(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|(?:deno|bun) run) ',
]);
/** These options name where registries are. */
const registry = /^(?:-[if]|--(?:extra-)?index(?:-url)?|--find-links|--trusted-host|--proxy)(?:=|$)/;
/** By an address or a repository, not by a name in a registry. */
const elsewhere =
  /^(?:[\w.[\],-]+\s*@\s*)?(?:https?:|git\+|git:|git@|ssh:|(?:github|gitlab|bitbucket|gist):)/;

/** `npx github:a/b`, `uvx --from git+https://… tool`; what follows the tool is the tool's own. */
function fetchesPackage({ args, ownArgs, program }: Command): boolean {
  if (!fetching.test(`${program} ${args.join(' ')} `)) return false;
  return args.slice(0, ownArgs.length + 1).some((argument, index) => {
    if (registry.test(argument) || registry.test(args[index - 1] ?? '')) return false;
    return elsewhere.test(argument.replace(/^--[\w-]+=/, ''));
  });
}
