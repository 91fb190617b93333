import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { events, scopes, slackManifest } from '../../../src/adapters/slack/manifest.ts';

/** As published under https://github.com/slackapi/manifest-schema (MIT License, beside it). */
const schema = JSON.parse(
  readFileSync(new URL('../../fixtures/slack/manifest.schema.2.0.0.json', import.meta.url), 'utf8'),
);

function faultsOf(manifest: unknown): readonly unknown[] {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  return ajv.validate(schema, manifest) ? [] : (ajv.errors ?? []);
}

describe('the manifest', () => {
  test.each([
    ['for Socket Mode', slackManifest({ command: '/flow' })],
    ['for HTTP', slackManifest({ command: '/flow', publicUrl: 'https://flow.example.com' })],
    ['for signing in', slackManifest({ command: '/flow', signInUrl: 'https://flow.example.com' })],
    ['for a command of another name', slackManifest({ command: '/a-very-long-command-name-indeed' })],
  ])('%s is accepted by Slack’s published schema', (_, manifest) => {
    expect(faultsOf(manifest)).toEqual([]);
  });

  test('the schema would find a mistake', () => {
    expect(faultsOf({ ...slackManifest({ command: '/flow' }), features: { bot_user: 3 } })).not.toEqual([]);
  });

  test('over HTTP everything comes to one address; over Socket Mode no address is named', () => {
    const http = JSON.stringify(slackManifest({ command: '/flow', publicUrl: 'https://flow.example.com/' }));
    expect(http.match(/https:\/\/flow\.example\.com\/slack\/events/g)).toHaveLength(3);
    expect(http).toContain('"socket_mode_enabled":false');
    expect(JSON.stringify(slackManifest({ command: '/flow' }))).not.toContain('http');
  });

  test('people sign in where the pages are reached', () => {
    const manifest = JSON.stringify(
      slackManifest({ command: '/flow', signInUrl: 'https://flow.example.com' }),
    );
    expect(manifest).toContain('"redirect_urls":["https://flow.example.com/login/slack/callback"]');
    expect(manifest).toContain('"user":["openid","profile"]');
  });

  test('nothing is asked for twice, and each need says what is lost without it', () => {
    for (const needs of [scopes, events]) {
      expect(new Set(needs.map(({ name }) => name)).size).toBe(needs.length);
      for (const { cost } of needs) expect(cost).toMatch(/^[A-Z].*\.$/);
    }
  });
});
