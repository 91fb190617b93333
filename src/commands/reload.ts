import { literal, md, type ProsePiece } from '../engine/prose.ts';
import { isAdmin, say } from './bot.ts';
import { type Command, deny } from './command.ts';

/** Most faults that are told at once. */
const FAULTS_MAX = 20;

/** `/flow reload`: reads the flow files again. */
export const reload: Command = {
  name: 'reload',
  options: [],
  summary: 'Reads the flow files again and says what is wrong with them (admins).',
  async run(bot, caller) {
    if (!isAdmin(bot, caller)) return deny('Only admins may reload flows.');
    const before = new Map(bot.catalog.flows.map(({ id, version }) => [id, version]));
    await bot.reload();
    const { flows, broken } = bot.catalog;
    const added = flows.filter(({ id }) => !before.has(id));
    const changed = flows.filter(({ id, version }) => before.has(id) && before.get(id) !== version);
    const here = new Set(flows.map(({ id }) => id));
    const gone = [...before.keys()].filter((id) => !here.has(id));
    const faults = broken.flatMap((file) => file.faults);
    const news = [
      ...inWords(
        'new',
        added.map(({ id }) => id),
      ),
      ...inWords(
        'changed',
        changed.map(({ id }) => id),
      ),
      ...inWords('gone', gone),
    ];
    return {
      ok: broken.length === 0,
      content: say(
        literal(
          `${flows.length} flows can be run${news.length === 0 ? ', as before' : `: ${news.join('; ')}`}.`,
        ),
        ...(faults.length === 0 ? [] : [md('\n\nNot loaded:\n\n')]),
        ...faults.slice(0, FAULTS_MAX).flatMap((fault): ProsePiece[] => [md('- '), literal(fault), md('\n')]),
        ...(faults.length > FAULTS_MAX ? [md(`- … and ${faults.length - FAULTS_MAX} more\n`)] : []),
      ),
      data: {
        flows: flows.map(({ id }) => id),
        added: added.map(({ id }) => id),
        changed: changed.map(({ id }) => id),
        gone,
        broken: broken.map(({ file, faults }) => ({ file, faults: [...faults] })),
      },
    };
  },
};

function inWords(what: string, ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [] : [`${what}: ${ids.join(', ')}`];
}
