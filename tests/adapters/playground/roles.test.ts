import { expect, test } from 'vitest';
import { renderPost } from '../../../src/adapters/playground/render.ts';

test.each<[notify: string[], called: string[]]>([
  [['@maintainers'], ['ana', 'bo']],
  [
    ['bo', '@Oncall', '@maintainers'],
    ['bo', 'cy', 'ana'],
  ],
  [['@nosuchrole', '@__proto__', 'cy'], ['cy']],
])('a post that notifies %j notifies %j', (notify, called) => {
  const [part] = renderPost({ prose: [], buttons: [], notify });
  expect(part?.notify).toEqual(called);
});
