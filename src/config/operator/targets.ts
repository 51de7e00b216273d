import { z } from 'zod';
import { problemAt, type Reading } from '../problems.ts';
import type { Problem } from '../schema/config-problem.ts';
import { isHost } from '../schema/hosts.ts';
import { variableOf } from '../schema/registry-keys.ts';
import { flag, key, listOf, lowerName, mapping, textLike, textOf, unique } from '../schema/schema-forms.ts';

const nameError = 'a name of small letters, digits, - and _, at most 40, that begins with a letter';

const shared = {
  name: key(textLike(lowerName, nameError), {
    description: 'What repositories call it under `notify`.',
    examples: ['builds'],
  }),
  url: key(textOf(1, 2000, 'an address, such as https://hooks.example.org/builds').optional(), {
    title: 'Address',
    description:
      'Where messages are sent, with `https://`. Whoever knows an address of Slack or Teams can write there: better keep it in a variable.',
    examples: ['https://hooks.example.org/builds'],
  }),
  url_env: key(variableOf('address', 'BUILDS_URL').optional(), {
    title: 'Variable of the address',
    description: 'The variable with the address, instead of `url`.',
  }),
  private: key(flag().default(false), {
    description: '`true`: the host may have a private address, and `url` may begin with `http://`.',
    examples: [true],
  }),
};

const channelError = 'the id of a channel, such as C0123456789, or in quotes its name, such as "#builds"';

const slack = mapping({
  ...shared,
  to: key(z.literal('slack'), {
    description:
      'A channel of Slack: by the address of an incoming webhook, or by `channel` and `token_env`, which keep the messages of a run in one thread.',
    examples: ['slack'],
  }),
  channel: key(textLike(/^(?:#[^\s#]{1,80}|[A-Z][A-Z0-9]{1,30})$/, channelError).optional(), {
    description:
      'With `to: slack`, instead of an address: the channel, of which the bot with the token is a member.',
    examples: ['C0123456789'],
  }),
  token_env: key(variableOf('token', 'SLACK_BOT_TOKEN').optional(), {
    description: 'With `channel`: the variable with the token of a bot that may `chat:write`.',
  }),
});

const teams = mapping({
  ...shared,
  to: key(z.literal('teams'), {
    description: 'A channel of Microsoft Teams, by the address of a workflow that posts what it is sent.',
    examples: ['teams'],
  }),
});

const webhook = mapping({
  ...shared,
  to: key(z.literal('webhook'), {
    description: 'Any program, by the Standard Webhooks specification.',
    examples: ['webhook'],
  }),
  secret_env: key(variableOf('secret', 'BUILDS_SECRET'), {
    description:
      'With `to: webhook`: the variable with the secret that messages are signed with: `whsec_` and 24 to 64 random bytes as Base64.',
  }),
});

const target = z
  .discriminatedUnion('to', [slack, teams, webhook], {
    error: ({ code }) =>
      code === 'invalid_union'
        ? 'one of slack, teams, webhook'
        : 'a mapping with `name`, `to` and where that is, such as `url_env`',
  })
  .superRefine((written, context) => {
    const problem = placeProblem(written);
    if (problem !== undefined) context.addIssue({ code: 'custom', ...problem });
  });

/** Whom the operator lets runs notify. */
export const targetList = key(
  listOf(target, 50, 'targets', 'a list of targets, each with `name` and `to`')
    .superRefine(
      unique(
        'name',
        ({ name }) => name,
        (first) => `a name of its own: notify[${first}] has the same one`,
      ),
    )
    .prefault([]),
  {
    description:
      'Where runs may tell people what happens to them: in Slack, in Teams or by a webhook. A repository names those that it wants under `notify`; nothing is sent anywhere else.',
    examples: [[{ name: 'builds', to: 'slack', url_env: 'BUILDS_URL' }]],
  },
);

type WrittenTarget = z.output<typeof target>;

/** A target is in one place. */
function placeProblem(
  target: WrittenTarget,
): { readonly path: string[]; readonly message: string } | undefined {
  const { url, url_env } = target;
  const { channel, token_env } = target.to === 'slack' ? target : {};
  const nothing = (key: string, other: string) => ({ path: [key], message: `nothing beside \`${other}\`` });
  if (url !== undefined && url_env !== undefined) return nothing('url', 'url_env');
  const address = url === undefined ? url_env && 'url_env' : 'url';
  if (address !== undefined && channel !== undefined) return nothing(address, 'channel');
  if (address !== undefined && token_env !== undefined) return nothing(address, 'token_env');
  if (channel !== undefined && token_env === undefined)
    return { path: ['token_env'], message: expectedIn.token_env };
  if (channel === undefined && token_env !== undefined) return { path: ['channel'], message: channelError };
  if (address !== undefined || channel !== undefined) return undefined;
  const instead = target.to === 'slack' ? '; or `channel` and `token_env`' : '';
  return { path: ['url_env'], message: `the name of a variable with the address, or \`url\`${instead}` };
}

const addressForm =
  'an address such as https://hooks.example.org/builds, without a user or password; only with `private: true` may it begin with http:// or lead to a host without a public name';

/** Each says what a variable of a target has to hold. */
const expectedIn = {
  url: addressForm,
  url_env: `the name of a variable that is set, with ${addressForm}`,
  token_env: 'the name of a variable that is set, with the token of a bot in Slack',
  secret_env:
    'the name of a variable that is set, with a secret of Standard Webhooks, such as `echo "whsec_$(openssl rand -base64 32)"` prints',
};

/** A target of the operator's, with the values of its variables. */
export type NotifyTarget = Readonly<
  {
    name: string;
    /** Its host may have a private address. */
    private: boolean;
  } & (
    | { to: 'slack' | 'teams'; url: string }
    | { to: 'slack'; channel: string; token: string }
    /** `secret`: `whsec_` and the key in Base64. */
    | { to: 'webhook'; url: string; secret: string }
  )
>;

/**
 * Lists what of targets must be neither written nor posted: some let whoever knows their address write there.
 */
export function secretsOfTargets(targets: readonly NotifyTarget[]): readonly string[] {
  return targets.flatMap((target) => [
    ...('url' in target ? [target.url] : []),
    ...('token' in target ? [target.token] : []),
    ...('secret' in target ? [target.secret] : []),
  ]);
}

/** The environment, of which the file names variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

export function withValues(written: WrittenTarget, variables: Variables): NotifyTarget {
  const filledIn = (variable = '') => variables[variable] ?? '';
  const { name, private: isPrivate } = written;
  const shared = { name, private: isPrivate };
  if (written.to === 'slack' && written.channel !== undefined)
    return { ...shared, to: 'slack', channel: written.channel, token: filledIn(written.token_env) };
  const url = written.url ?? filledIn(written.url_env);
  if (written.to !== 'webhook') return { ...shared, to: written.to, url };
  return { ...shared, to: 'webhook', url, secret: filledIn(written.secret_env) };
}

/**
 * Says what is wrong with the addresses and variables under `notify`. No value is told: each may be a secret.
 */
export function valueProblems(
  listed: readonly WrittenTarget[],
  { reading, variables }: { readonly reading: Reading; readonly variables: Variables },
): Problem[] {
  return listed.flatMap((written, index) => {
    const target = withValues(written, variables);
    const wrong: { readonly key: keyof typeof expectedIn; readonly value: string }[] = [];
    if ('url' in target && !isAddress(target))
      wrong.push({ key: written.url === undefined ? 'url_env' : 'url', value: target.url });
    if ('token' in target && !/^[!-~]+$/.test(target.token))
      wrong.push({ key: 'token_env', value: target.token });
    if ('secret' in target && !isWebhookSecret(target.secret))
      wrong.push({ key: 'secret_env', value: target.secret });
    return wrong.map(({ key, value }) => {
      const problem = problemAt(['notify', index, key], expectedIn[key], reading);
      if (key === 'url') return { ...problem, received: 'another one, which may be a secret' };
      const how = value === '' ? 'which is not set' : 'which is set to something else';
      return { ...problem, received: `${problem.received}, ${how}` };
    });
  });
}

function isAddress({ url: text, private: isPrivate }: { readonly url: string; readonly private: boolean }) {
  if (!URL.canParse(text)) return false;
  const { protocol, host, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' ? isPrivate || isHost(host) : isPrivate && protocol === 'http:';
}

/** `whsec_` and 24 to 64 bytes in Base64, as the Standard Webhooks specification has it. */
function isWebhookSecret(text: string): boolean {
  const [, key = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(key, 'base64');
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === key;
}
