import { SlackError } from '../errors.ts';
import { userWire } from '../messages.ts';
import { type Method, pageAsked, pageOf } from '../method.ts';
import type { Wire } from '../wire.ts';
import type { UserGroup, Workspace } from '../workspace.ts';

/** Methods that look at people and user groups. */
export const peopleMethods: Readonly<Record<string, Method>> = {
  'users.info': {
    scopes: ['users:read'],
    args: ['user', 'include_locale'],
    required: ['user'],
    run(args, workspace) {
      const user = workspace.users.get(args.need('user'));
      if (user === undefined) throw new SlackError('user_not_found');
      return { user: userWire(workspace, user) };
    },
  },
  'users.list': {
    scopes: ['users:read'],
    args: ['cursor', 'limit', 'include_locale'],
    run(args, workspace) {
      const { items, next } = pageOf(workspace, [...workspace.users.values()], pageAsked(args));
      return {
        members: items.map((user) => userWire(workspace, user)),
        response_metadata: { next_cursor: next },
      };
    },
  },
  'users.lookupByEmail': {
    scopes: ['users:read.email'],
    args: ['email'],
    required: ['email'],
    run(args, workspace) {
      const email = args.need('email').toLowerCase();
      const user = [...workspace.users.values()].find((each) => each.email === email && !each.deleted);
      if (user === undefined) throw new SlackError('users_not_found');
      return { user: userWire(workspace, user) };
    },
  },
  'usergroups.list': {
    scopes: ['usergroups:read'],
    args: ['include_count', 'include_disabled', 'include_users'],
    run(args, workspace) {
      const shown = [...workspace.groups.values()].filter(
        ({ disabled }) => !disabled || args.flag('include_disabled'),
      );
      return { usergroups: shown.map((group) => groupWire(workspace, group, args.flag('include_users'))) };
    },
  },
  'usergroups.users.list': {
    scopes: ['usergroups:read'],
    args: ['usergroup', 'include_disabled'],
    required: ['usergroup'],
    run(args, { groups }) {
      const group = groups.get(args.need('usergroup'));
      if (group === undefined || (group.disabled && !args.flag('include_disabled'))) {
        throw new SlackError('no_such_subteam');
      }
      return { users: group.users };
    },
  },
};

function groupWire({ teamId }: Workspace, group: UserGroup, withUsers: boolean): Wire {
  return {
    id: group.id,
    team_id: teamId,
    is_usergroup: true,
    name: group.handle,
    handle: group.handle,
    description: '',
    date_delete: group.disabled ? 1 : 0,
    user_count: group.users.length,
    users: withUsers ? group.users : undefined,
  };
}
