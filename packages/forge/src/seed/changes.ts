import { rm } from 'node:fs/promises';
import { type Context, gitDir } from '../context.ts';
import type { Repository } from '../model.ts';
import type { InRepository } from '../model-base.ts';
import { repositoryCalled } from './lookup.ts';

/** What the owner does to a whole repository. */
export function seedChanges(context: Context) {
  const { data } = context.store;
  return {
    /** Gives `owner/name` another name; the old one leads to it until another repository has it. */
    rename(full: string, name: string) {
      const repository = repositoryCalled(context, full);
      const { id, owner_id } = repository;
      data.former_names.push({ owner_id, name: repository.name, repository_id: id });
      repository.name = name;
    },
    setPrivate(full: string, isPrivate: boolean) {
      repositoryCalled(context, full).private = isPrivate;
    },
    /** Deletes it with all that was in it; no App is told. */
    async deleteRepository(full: string): Promise<void> {
      const repository = repositoryCalled(context, full);
      forget(context, repository);
      await rm(gitDir(context, repository), { recursive: true, force: true });
    },
  };
}

/** Events of issues stay, but are only found by their issue. */
function forget({ store: { data } }: Context, { id }: Repository): void {
  const contents: InRepository[][] = [
    ...[data.former_names, data.activities, data.issues, data.queue_entries, data.merge_groups],
    ...[data.comments, data.reviews, data.suites, data.check_runs, data.statuses, data.workflow_runs],
  ];
  for (const list of contents) remove(list, ({ repository_id }) => repository_id === id);
  for (const { repository_ids } of [...data.installations, ...data.teams])
    remove(repository_ids, (one) => one === id);
  remove(data.repositories, (one) => one.id === id);
}

/** In place, because the lists have different types. */
function remove<Thing>(list: Thing[], isMeant: (thing: Thing) => boolean): void {
  list.splice(0, list.length, ...list.filter((one) => !isMeant(one)));
}
