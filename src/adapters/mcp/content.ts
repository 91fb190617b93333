import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type JsonObject } from '../../engine/json.ts';
import type { ToolContent } from '../../engine/steps/tool-result.ts';

type Part = CallToolResult['content'][number];

/** A part of an answer, as a step sees it: bytes are noted, not kept. */
export function contentOf(part: Part): ToolContent {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: part.text };
    case 'image':
    case 'audio':
      return { kind: 'other', label: `${part.type} ${part.mimeType}, ${bytesOf(part.data)} bytes` };
    case 'resource_link':
      return { kind: 'other', label: `link ${part.uri}` };
    case 'resource':
      if ('text' in part.resource) return { kind: 'text', text: part.resource.text };
      return { kind: 'other', label: `file ${part.resource.uri}, ${bytesOf(part.resource.blob)} bytes` };
  }
}

/** The structured content. What came over the wire is JSON, whatever its type says. */
export function structuredOf(content: unknown): JsonObject {
  return isJsonObject(content) ? content : {};
}

function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
