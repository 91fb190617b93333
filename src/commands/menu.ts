import { formFields } from '../engine/data/input.ts';
import { platformOf } from '../engine/flow/address.ts';
import type { Menu, MenuFlow } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import type { Bot } from './bot.ts';
import { slashTrigger } from './slash.ts';
import { COMMANDS } from './table.ts';

/** Follows the menu of a platform: gives it now, and whenever flows or switches have made another of it. */
export function followMenu(bot: Bot, platform: string, take: (menu: Menu) => void): void {
  let last: string | undefined;
  const look = () => {
    const menu = menuFor(bot, platform);
    const text = JSON.stringify(menu);
    if (text === last) return;
    last = text;
    take(menu);
  };
  bot.catalog.follow(look);
  look();
}

function menuFor(bot: Bot, platform: string): Menu {
  const flows = bot.catalog.flows
    .flatMap((flow) => menuFlow(bot, flow, platform))
    .toSorted((one, other) => (one.flow < other.flow ? -1 : 1));
  return {
    words: COMMANDS.map(({ name, summary, options }) => ({ name, summary, options })),
    flows,
  };
}

function menuFlow(bot: Bot, flow: LoadedFlow, platform: string): readonly MenuFlow[] {
  const trigger = slashTrigger(flow);
  if (!trigger || !bot.catalog.isEnabled(flow)) return [];
  const { command, in: addresses } = trigger;
  // Somewhere on this platform it must work.
  if (addresses && !addresses.some((one) => (platformOf(one) ?? platform) === platform)) return [];
  const { input } = flow.plan;
  const fields = input ? formFields(input, {}, platform) : [];
  return [{ flow: flow.id, command, summary: summaryOf(flow), fields }];
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The first sentence of what a flow says about itself. */
function summaryOf({ id, plan }: LoadedFlow): string {
  const [first] = sentences.segment(plan.description?.trim() ?? '');
  return (
    [first?.segment, plan.name]
      .map((text) => text?.trim())
      .find((text) => text !== undefined && text !== '') ?? id
  );
}
