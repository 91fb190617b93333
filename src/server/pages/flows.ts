import type { Page } from './page.ts';

export const flowPages: readonly Page[] = [];
