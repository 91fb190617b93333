import type { Page } from './page.ts';

export const schedulePages: readonly Page[] = [];
