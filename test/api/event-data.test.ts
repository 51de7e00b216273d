import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { eventKinds, eventShape, notificationShape } from '../../src/api/event-schema.ts';
import { toldOf } from '../../src/api/run-events.ts';
import { webhookPosting } from '../../src/notify/notifier.ts';
import { announcements } from '../../src/steering/announcements.ts';
import { notificationText } from '../../src/words/notification.ts';
import { sequences, transitionsOf } from '../steering/random-sequences.ts';

test('an event is what its schema says, and the last one of an entry has its number as an id', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(sequences, ([first, events]) => {
      for (const { before, after, event, verdict } of transitionsOf(first, events)) {
        if (verdict.outcome === 'nothing') continue;
        const { events: all } = toldOf({ seq: after.seq, event, before, after });
        for (const [index, told] of all.entries()) {
          seen.add(told.event);
          expect(eventKinds[told.event]?.shape.strict().parse(told.data)).toEqual(told.data);
          expect(told.id).toBe(index === all.length - 1 ? String(after.seq) : undefined);
        }
      }
    }),
    { numRuns: 100 },
  );
  expect(seen.size).toBeGreaterThan(12);
});

test('a webhook is sent exactly what the description says, whatever has happened', () => {
  const seen = new Set<string>();
  const target = {
    url: 'https://hooks.example.org/',
    secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
  };
  fc.assert(
    fc.property(sequences, ([first, events]) => {
      for (const { before, after, event, verdict } of transitionsOf(first, events)) {
        if (verdict.outcome === 'nothing') continue;
        for (const announcement of announcements(before, after, event)) {
          const words = notificationText(announcement, after, 'https://github.com/acme/service');
          const { body } = webhookPosting(target, { id: 'msg_1', announcement, ...words });
          const sent = JSON.parse(body);
          expect(notificationShape.parse(sent)).toEqual(sent);
          expect(sent.type).toBe(sent.data.event);
          seen.add(sent.type);
        }
      }
    }),
    { numRuns: 100 },
  );
  expect(seen.size).toBeGreaterThan(12);
});

test('the description for programs has every event with a sentence about it', () => {
  const anyOf = z.toJSONSchema(eventShape).$defs?.['RunEvent']?.anyOf ?? [];
  const described = anyOf.map(({ description }) => description);
  expect(described).toEqual(Object.values(eventKinds).map(({ says }) => says));
  expect(described.filter((says) => !says?.endsWith('.'))).toEqual([]);
});
