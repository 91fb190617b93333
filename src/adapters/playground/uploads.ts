import type { IdMaker } from './ids.ts';
import type { Tables, UploadRow } from './tables.ts';

/** A file that a person uploaded for a form. */
export interface Upload extends Omit<UploadRow, 'seq'> {
  readonly id: string;
}

/** Most uploads that are kept, or the file would grow for ever: forms may be left unsent. */
const keptMax = 50;

/** What people upload for forms: the newest. */
export interface Uploads {
  add(upload: Omit<Upload, 'id'>): Upload;
  /** Undefined = it was never there, or newer ones took its place. */
  read(id: string): Upload | undefined;
}

/** Makes it. */
export function createUploads(tables: Tables, ids: IdMaker): Uploads {
  return {
    add(upload) {
      const seq = tables.atomic(() => {
        const added = tables.addUpload(upload);
        tables.removeUploads(added - keptMax);
        return added;
      });
      return { ...upload, id: ids.make('u', seq) };
    },
    read(id) {
      const row = tables.upload(ids.read('u', id) ?? 0);
      return row && { ...row, id };
    },
  };
}
