import { listOf, oneOf, textLike } from './forms.ts';

export const others = oneOf(['none', 'pass'])
  .default('none')
  .meta({
    title: 'Other pull requests',
    description:
      'What pull requests that are not runs get. With `none`, nothing: where a rule requires the check, only runs can be merged, and `/run` makes one of any other pull request. With `pass`, pull requests of people and of `other_bots` get a successful check "Not a run": then the check is about the work of agents, not of people. One with a commit that was ever the head of a run never gets it. The App only.',
    examples: ['pass'],
  });

const botError = 'the login of a bot, such as "dependabot[bot]", in quotes';

export const otherBots = listOf(textLike(/^[A-Za-z0-9][A-Za-z0-9-]{0,98}\[bot\]$/, botError), 50, 'bots')
  .default([])
  .meta({
    title: 'Other bots',
    description: 'Bots whose pull requests `others: pass` lets through like those of people.',
    examples: [['dependabot[bot]']],
  })
  .transform((logins) => logins.map((login) => login.toLowerCase()));

export const ci = oneOf(['at_once', 'after_look'])
  .default('at_once')
  .meta({
    title: "The repository's own CI",
    description:
      'When the workflows of the repository may run what an agent wrote: with `at_once` on every push; with `after_look`, commits are pushed with `skip-checks: true` until someone with write access uses `/verify --ci`. Whoever squashes them by hand should remove that line from the message, or no workflow runs on the base.',
    examples: ['after_look'],
  });
