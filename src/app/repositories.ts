import { repositoryOf } from '../github/read/repository-ref.ts';
import type { Repository } from '../runs/repository/repository.ts';
import type { Installations } from './installations.ts';

/** Every repository the App is installed on. */
export async function listRepositories(installations: Installations): Promise<readonly Repository[]> {
  const found: Repository[] = [];
  for (const { id } of await installations.all()) {
    const client = installations.client(id);
    const listed = await client.paginate(client.rest.apps.listReposAccessibleToInstallation, {
      per_page: 100,
    });
    for (const repository of listed) found.push(installations.repository(repositoryOf(repository), id));
  }
  return found;
}
