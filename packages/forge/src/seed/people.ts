import { randomBytes } from 'node:crypto';
import { addAccount, deleteAccount } from '../accounts.ts';
import type { Context } from '../context.ts';
import { userToken } from '../user-token.ts';
import { accountCalled, repositoryCalled } from './lookup.ts';
import type { Seed } from './seed.ts';

type People = 'addUser' | 'deleteUser' | 'addOrganization' | 'setCollaborator' | 'userToken';

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
    setCollaborator(name, login, role) {
      const { collaborators } = repositoryCalled(context, name);
      const id = String(accountCalled(context, login).id);
      if (role === 'none') delete collaborators[id];
      else collaborators[id] = role;
    },
    userToken: ({ id }, login) => userToken(context, context.store.app(id), accountCalled(context, login)),
  };
}
