import { addAttachment } from '../attachments.ts';
import type { Context } from '../context.ts';
import { deleteVersion } from '../operations/edits.ts';
import { clickAction } from './clicks.ts';
import { seedInstallations } from './installations.ts';
import { accountCalled, repositoryCalled } from './lookup.ts';
import { seedPeople } from './people.ts';
import { seedRepositories } from './repositories.ts';
import { seedRules } from './rules.ts';
import type { Seed } from './seed.ts';
import { setWorkflowRun } from './workflow-runs.ts';

export function createSeed(context: Context): Seed {
  const { faults } = context;
  const repository = (name: string) => repositoryCalled(context, name);
  return {
    ...seedPeople(context),
    ...seedRepositories(context),
    ...seedInstallations(context),
    ...seedRules(context),
    settings: (name, settings) => void Object.assign(repository(name).settings, settings),
    addAttachment: (type, content) => addAttachment(context, type, content),
    fault: (fault) => faults.add(fault),
    showActivity: (name, shown) => faults.showActivity(repository(name).id, shown),
    clearFaults: () => faults.clear(),
    clickCheckRunAction: (name, id, click) => clickAction(context, repository(name), { id, ...click }),
    deleteEdit: (id, login) => deleteVersion(context, id, accountCalled(context, login).id),
    setWorkflowRun: (name, run) => setWorkflowRun(context, repository(name), run),
    dispatches: () => [...context.store.data.dispatches],
  };
}
