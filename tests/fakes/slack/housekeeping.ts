import type { Person, Place } from '../../../src/engine/people.ts';
import { userWire } from './messages.ts';
import { memberEvent } from './methods/conversations.ts';
import type { Places } from './places.ts';
import type { Wire } from './wire.ts';
import { addChannel, type UserGroup, type Workspace } from './workspace.ts';

/** What people do to channels, groups and the installation. */
export interface Housekeeping {
  /** A new channel; everybody is in it, the bot unless told otherwise. */
  createChannel(channel: {
    readonly name: string;
    readonly isPrivate?: boolean;
    readonly botIsMember?: boolean;
  }): Place;
  createGroup(group: Pick<UserGroup, 'id' | 'handle' | 'users'>): void;
  setGroupUsers(id: string, users: readonly string[]): void;
  disableGroup(id: string): void;
  /** Invites a user, by default the bot. */
  invite(person: Person, place: Place, userId?: string): Promise<void>;
  removeBot(place: Place): Promise<void>;
  /** Somebody is put out of a channel. */
  remove(person: Person, place: Place): Promise<void>;
  /** A public channel becomes a private one; Slack does not tell the bot. */
  makePrivate(place: Place): void;
  archive(place: Place): Promise<void>;
  rename(place: Place, name: string): Promise<void>;
  /** The conversation gets another id, as when a workspace moves; gives its new place. */
  changeId(place: Place): Promise<Place>;
  /** So many more members, who are in all public channels. */
  addPeople(count: number): readonly Person[];
  deactivate(person: Person): Promise<void>;
  /** The app is taken out: its tokens are `account_inactive`. */
  uninstall(): Promise<void>;
  /** Its tokens are `token_revoked`. */
  revokeTokens(): Promise<void>;
}

/** Makes it. @param tell sends an event and waits for the first attempt */
export function createHousekeeping(
  workspace: Workspace,
  { channelOf, placeOf }: Places,
  tell: (event: Wire) => Promise<void>,
): Housekeeping {
  const { botUserId } = workspace;
  const group = (id: string) => {
    const found = workspace.groups.get(id);
    if (found === undefined) throw new Error(`there is no group ${id}`);
    return found;
  };
  const stamped = (event: Wire) => tell({ ...event, event_ts: workspace.nextTs() });

  return {
    createChannel({ name, isPrivate = false, botIsMember = true }) {
      const people = [...workspace.users.values()].filter(({ isBot, deleted }) => !isBot && !deleted);
      const members = [...people.map(({ id }) => id), ...(botIsMember ? [botUserId] : [])];
      // Private channels have such ids as well: the id does not tell the kind.
      const id = `C0${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`;
      addChannel(workspace, { id, name, kind: isPrivate ? 'group' : 'channel' }, members);
      return placeOf(id);
    },
    createGroup: (made) => void workspace.groups.set(made.id, { ...made, disabled: false }),
    setGroupUsers(id, users) {
      group(id).users = users;
    },
    disableGroup(id) {
      group(id).disabled = true;
    },
    async invite(person, place, userId = botUserId) {
      const channel = channelOf(place);
      channel.members.add(userId);
      if (channel.members.has(botUserId)) {
        await tell(memberEvent(workspace, channel, 'member_joined_channel', userId, person.id));
      }
    },
    async removeBot(place) {
      const channel = channelOf(place);
      channel.members.delete(botUserId);
      await stamped({
        type: channel.kind === 'channel' ? 'channel_left' : 'group_left',
        channel: channel.id,
        actor_id: 'U0ANA',
      });
      await tell(memberEvent(workspace, channel, 'member_left_channel', botUserId));
    },
    async remove({ id }, place) {
      const channel = channelOf(place);
      channel.members.delete(id);
      if (channel.members.has(botUserId)) {
        await tell(memberEvent(workspace, channel, 'member_left_channel', id));
      }
    },
    makePrivate(place) {
      channelOf(place).kind = 'group';
    },
    async archive(place) {
      const channel = channelOf(place);
      channel.archived = true;
      const type = channel.kind === 'channel' ? 'channel_archive' : 'group_archive';
      await stamped({ type, channel: channel.id, user: 'U0ANA' });
    },
    async rename(place, name) {
      const channel = channelOf(place);
      channel.name = name;
      const type = channel.kind === 'channel' ? 'channel_rename' : 'group_rename';
      await stamped({ type, channel: { id: channel.id, name, created: channel.createdS } });
    },
    async changeId(place) {
      const channel = channelOf(place);
      const old = channel.id;
      workspace.channels.delete(old);
      channel.id = workspace.nextId('C0MOVED');
      workspace.channels.set(channel.id, channel);
      await stamped({ type: 'channel_id_changed', old_channel_id: old, new_channel_id: channel.id });
      return placeOf(channel.id);
    },
    addPeople: (count) =>
      Array.from({ length: count }, (_, index) => {
        const id = workspace.nextId('U0MEMBER');
        const name = `Member ${index + 1}`;
        workspace.users.set(id, {
          id,
          name,
          handle: id.toLowerCase(),
          isBot: false,
          isGuest: false,
          teamId: workspace.teamId,
          deleted: false,
        });
        for (const { kind, members } of workspace.channels.values()) if (kind === 'channel') members.add(id);
        return { platform: 'slack', id, name };
      }),
    async deactivate(person) {
      const user = workspace.users.get(person.id);
      if (user === undefined) throw new Error(`there is no ${person.id}`);
      user.deleted = true;
      await stamped({ type: 'user_change', user: userWire(workspace, user) });
    },
    async uninstall() {
      workspace.revoked = 'account_inactive';
      await stamped({ type: 'app_uninstalled' });
    },
    async revokeTokens() {
      workspace.revoked = 'token_revoked';
      await stamped({ type: 'tokens_revoked', tokens: { oauth: [], bot: [botUserId] } });
    },
  };
}
