import { randomBytes } from 'node:crypto';
import { addAccount, deleteAccount } from '../accounts.ts';
import { type Context, timestamp } from '../context.ts';
import { userToken } from '../user-token.ts';
import { accountCalled, repositoryCalled, teamCalled } from './lookup.ts';
import type { Seed } from './seed.ts';

type People =
  | 'addUser'
  | 'deleteUser'
  | 'addOrganization'
  | 'addTeam'
  | 'removeTeam'
  | 'setMember'
  | 'setCollaborator'
  | 'userToken';

/** Accounts, their tokens and their roles. */
export function seedPeople(context: Context): Pick<Seed, People> {
  return {
    addUser(login, { type = 'User' } = {}) {
      const account = addAccount(context, login, type);
      const token = `ghp_${randomBytes(18).toString('hex')}`;
      const everywhere = { installation_id: null, permissions: null, repository_ids: null, expires_at: null };
      context.store.data.tokens.push({ token, account_id: account.id, ...everywhere });
      return token;
    },
    deleteUser: (login) => deleteAccount(context, accountCalled(context, login)),
    addOrganization: (login) => void addAccount(context, login, 'Organization'),
    addTeam(name, { parent, repositories = [] } = {}) {
      const [organization = '', slug = ''] = name.split('/');
      context.store.data.teams.push({
        id: context.store.id(),
        organization_id: accountCalled(context, organization).id,
        name: slug,
        slug,
        parent_id: parent === undefined ? null : teamCalled(context, parent).id,
        member_ids: [],
        repository_ids: repositories.map((one) => repositoryCalled(context, one).id),
        created_at: timestamp(context),
      });
    },
    removeTeam(name) {
      const { data } = context.store;
      const { id } = teamCalled(context, name);
      data.teams = data.teams.filter((team) => team.id !== id);
    },
    setMember(name, login, is) {
      const team = teamCalled(context, name);
      const { id } = accountCalled(context, login);
      team.member_ids = [...team.member_ids.filter((member) => member !== id), ...(is ? [id] : [])];
    },
    setCollaborator(name, login, role) {
      const { collaborators } = repositoryCalled(context, name);
      const id = String(accountCalled(context, login).id);
      if (role === 'none') delete collaborators[id];
      else collaborators[id] = role;
    },
    userToken: ({ id }, login) => userToken(context, context.store.app(id), accountCalled(context, login)),
  };
}
