import { z } from 'zod';
import { announcedEvents, usualEvents } from '../../steering/shapes/announced-events.ts';
import { boundTarget } from './bounds.ts';
import { key, listOf, lowerName, mapping, notHere, textLike, unique } from './forms.ts';
import { ifAny } from './settled.ts';
import { orMeant } from './suggestion.ts';

const where =
  "the operator's file of the App, or the input `notify` of the Action, says where a target is: a repository that could name an address or a variable could have secrets of the environment sent anywhere";

function notInRepository(name: string) {
  return key(notHere(`no ${name}, because ${where}`), {
    title: 'Not here',
    description: `Not here: ${where}.`,
  });
}

const target = mapping(
  {
    to: key(textLike(lowerName, 'the name of a target of the operator, such as builds'), {
      title: 'Target',
      description: 'A target, by the name that it has with the operator.',
      examples: ['builds'],
    }),
    events: key(
      listOf(
        z.enum(announcedEvents, { error: ({ input }) => orMeant(String(input), announcedEvents) }),
        announcedEvents.length,
        'events',
      )
        .min(1, { error: 'at least one event' })
        .default([...usualEvents]),
      {
        description: `What it is told: any of ${announcedEvents.map((event) => `\`${event}\``).join(', ')}.`,
        examples: [['approval_requested', 'run_finished']],
      },
    ),
    url: notInRepository('url'),
    url_env: notInRepository('url_env'),
  },
  'the name of a target, or a mapping with `to` and `events`',
).meta({
  short: 'string',
  long: (written) => (typeof written === 'string' ? { to: written } : written),
  operator: boundTarget,
});

/** Whom of the operator's targets runs notify. */
export const notify = key(
  listOf(target, 20, 'targets', 'a list of names of targets, or of mappings with `to` and `events`')
    .superRefine(
      unique(
        'to',
        ({ to }) => to,
        (first) => `another target than notify[${first}]; one entry has all its events`,
      ),
    )
    .prefault([]),
  {
    title: 'Notifications',
    description:
      'Where people are told what happens to runs: targets of the operator, such as channels of Slack or Teams, by their names. The name of one is enough.',
    examples: [['builds', { to: 'releases', events: ['run_finished'] }]],
  },
).transform((listed) => ifAny(listed.map(({ to, events }) => ({ to, events }))));
