/** What would call people, were it read as Slack's own syntax. */
export const hostile: readonly string[] = [
  ...['<!here>', '<!channel>', '<!everyone>', '<!here|here>', '<@U123>', '<@U123|bob>', '<@W123>', '<#C123>'],
  ...['<!subteam^S123>', '<!subteam^S123|@eng>', '<!date^1^{date}|x>', '&lt;!here&gt;', '&#60;!here&#62;'],
  ...['&amp;lt;!here&amp;gt;', '@here', '@channel', '@everyone', '@bob', '#general', '<https://x|@here>'],
  ...[
    '[@here](https://x.y)',
    '`<!here>`',
    '```\n<!here>\n```',
    '<!here\n>',
    '<\\!here>',
    '＠here',
    '@\u200bhere',
  ],
];
