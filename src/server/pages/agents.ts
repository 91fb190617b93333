import type { Page } from './page.ts';

export const agentPages: readonly Page[] = [];
