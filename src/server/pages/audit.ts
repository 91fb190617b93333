import type { Page } from './page.ts';

export const auditPages: readonly Page[] = [];
