import type { Page } from './page.ts';

export const questionPages: readonly Page[] = [];
