import { defineStep, template, z } from '../src/plugins/index.ts';

/** Makes of a text a name that can stand in an address: `Release 1.2: Über!` becomes `release-1-2-uber`. */
export default defineStep({
  type: 'slug',
  description: 'Makes of a text a name that can stand in an address.',
  schema: z.strictObject({
    of: template(1_000).describe('The text, with placeholders.'),
    maxLength: z.int().min(1).max(200).default(60).describe('Most characters.'),
  }),
  run({ of, maxLength }) {
    const plain = of.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
    const slug = plain
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, maxLength)
      .replaceAll(/^-+|-+$/g, '');
    if (slug === '') throw Object.assign(new Error(`Nothing is left of “${of}”.`), { retry: 'never' });
    return { text: slug, json: { length: slug.length } };
  },
});
