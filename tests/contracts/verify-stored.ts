import { sha256 } from '../../src/adapters/system/sha256.ts';
import { type AuditVerdict, verifyAudit } from '../../src/engine/audit/verify.ts';
import type { Store } from '../../src/ports/store.ts';

/** Whether the audit in a store is what was written. @param limit links that are read at a time */
export function verifyStored(store: Store, noted?: string, limit = 100): Promise<AuditVerdict> {
  return verifyAudit(
    async (afterN) => ({
      head: await store.auditHead(),
      links: await store.audit({ limit, ...(afterN !== undefined && { afterN }) }),
    }),
    sha256,
    noted,
  );
}
