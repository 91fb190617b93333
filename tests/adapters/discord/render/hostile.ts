/** What would call people, or be more than text, were it read as Discord's own syntax. */
export const hostile: readonly string[] = [
  ...['@everyone', '@here', '<@100000000000000002>', '<@!100000000000000002>', '<@&200000000000000003>'],
  ...['<#300000000000000001>', '</flow run:400000000000000001>', '<t:0:R>', '<t:1700000000>', '<id:guide>'],
  ...['<id:linked-roles:200000000000000003>', '<200000000000000001:customize>', '<:cat:500000000000000001>'],
  ...['<a:cat:500000000000000001>', '<https://x.y/@everyone>', 'https://x.y/<@100000000000000002>'],
  ...['https://x.y/\\<@100000000000000002>', '[@here](https://x.y)', '[x](@everyone)', '`@everyone`'],
  ...['`<@100000000000000002>', '```\n@here\n```', '```<@100000000000000002>', '||@everyone||'],
  ...['\\@everyone', '\\\\<@100000000000000002>', '@@everyoneeveryone', '@\u200beveryone', '@every\u202eone'],
  ...[
    '<\u200b@100000000000000002>',
    '<\u202e@100000000000000002>',
    '&lt;@100000000000000002&gt;',
    '__@here__',
  ],
  ...['-# @here', '>>> @everyone', '# @here', '***@here***', 'discord.gg/abc', '¯\\_(ツ)_/¯', ':rocket:'],
];
