import { randomUUID } from 'node:crypto';
import { operatorFileIn } from '../app/environment/app-settings.ts';
import { webUrl } from '../app/environment/values.ts';
import type { Variables } from '../app/environment/variables.ts';
import type { NotifyTarget } from '../config/operator/targets.ts';
import { notifierOf } from '../notify/notifier.ts';
import type { Message } from '../notify/target-message.ts';
import { type CommandFile, nameOption } from './terminal/command-file.ts';
import { table } from './terminal/command-output.ts';
import { Ended, exitCodes } from './terminal/exit.ts';
import { ownEnvironment } from './terminal/own-environment.ts';

export const notify: CommandFile<{ readonly test?: boolean }> = {
  about:
    "Lists the targets in the operator's file, which repositories may have runs notify. With --test each of " +
    'them is sent a message, or only the one that is named. It exits with 1 if one does not take it. It reads ' +
    'the same environment as `coxswain serve`, which may keep running.',
  takes: (command) =>
    command
      .argument('[name]', 'only this target')
      .option('--test', 'send a message, once and without a retry'),
  examples: {
    notify: 'where runs may notify people',
    'notify --test builds': 'whether a message arrives there',
  },
  run: async ({ test = false }, name) => {
    const variables = ownEnvironment();
    const all = operatorFileIn(variables).notify;
    if (all.length === 0) throw new Ended(exitCodes.refused, noTargets(variables));
    const names = all.map((each) => each.name);
    const named = name && nameOption('the target', name, names);
    const targets = all.filter((each) => !named || each.name === named);
    if (test) return await sendTo(targets, variables);
    const rows = targets.map((target) => [target.name, target.to, placeOf(target)]);
    process.stdout.write(`${table(['name', 'to', 'where'], rows)}\n`);
    return exitCodes.done;
  },
};

function noTargets({ COXSWAIN_OPERATOR_FILE: file = '' }: Variables): string {
  const why =
    file === '' ? 'COXSWAIN_OPERATOR_FILE is not set; it names the file with' : `${file} has nothing under`;
  return `there are no targets: ${why} \`notify\`, as in notify: [{name: builds, to: slack, url_env: BUILDS_URL}]`;
}

/** Names only the host of an address, because the rest of it may be a secret. */
function placeOf(target: NotifyTarget): string {
  return 'channel' in target ? `channel ${target.channel}` : new URL(target.url).host;
}

async function sendTo(targets: readonly NotifyTarget[], variables: Variables): Promise<number> {
  const notifier = notifierOf(targets);
  const { signal } = new AbortController();
  const sent = await Promise.all(
    targets.map(async ({ name }) => {
      const answer = await notifier.send(name, testMessage(name, variables), signal);
      const how = answer.outcome === 'accepted' ? 'has taken the message' : `has not: ${answer.reason}`;
      process.stdout.write(`${name} ${how}\n`);
      return answer.outcome;
    }),
  );
  return sent.includes('refused') ? exitCodes.refused : exitCodes.done;
}

function testMessage(name: string, variables: Variables): Message {
  return {
    id: `msg_${randomUUID()}`,
    announcement: { event: 'test', time: new Date().toISOString() },
    title: 'Coxswain: a test',
    lines: [`The runs of repositories that name \`${name}\` under \`notify\` will be told of here.`],
    url: webUrl(variables),
  };
}
