import type { Page } from './page.ts';

export const referencePages: readonly Page[] = [];
