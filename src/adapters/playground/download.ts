import { readAttachment, sizeFault } from '../../engine/attachments.ts';
import type { JsonObject } from '../../engine/json.ts';
import { ChatUnavailable, type DownloadOutcome } from '../../ports/chat.ts';
import type { Uploads } from './uploads.ts';

/** Gives the bytes of a file that a person sent, as `Chat.download`: by its id, whatever its address says. */
export function downloadUpload(uploads: Uploads, given: JsonObject, maxBytes: number): DownloadOutcome {
  const file = readAttachment(given);
  if (file === undefined) return refused('The playground describes no file here: send it again.');
  const upload = read(uploads, file.id);
  if (upload === undefined) return refused(`“${file.name}” is not there any more: send it again.`);
  const tooLarge =
    sizeFault(file, maxBytes) ?? sizeFault({ name: file.name, sizeBytes: upload.bytes.length }, maxBytes);
  if (tooLarge !== undefined) return refused(tooLarge);
  return { kind: 'fetched', data: upload.bytes.toString('base64') };
}

function read(uploads: Uploads, id: string): ReturnType<Uploads['read']> {
  try {
    return uploads.read(id);
  } catch (error) {
    throw new ChatUnavailable('The playground gives out no files now.', { cause: error });
  }
}

function refused(message: string): DownloadOutcome {
  return { kind: 'refused', message };
}
