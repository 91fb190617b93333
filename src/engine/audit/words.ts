import { type Person, type Place, personAddress } from '../people.ts';
import { beginningOf } from '../prose.ts';
import type { Quorum } from '../run/state.ts';
import { utcSecond } from '../utc.ts';
import type { AuditLink } from './chain.ts';
import type { AuditEntry, Switchable } from './entry.ts';

/** Longest quoted text, in UTF-16 units; what is exported has everything. */
const QUOTED_MAX_CHARS = 300;
const UNREADABLE = 'This entry can not be read: verify the audit.';

/**
 * An entry for people, as one line of plain text whatever is in it: its number, its time in UTC, and what happened. People
 * are named by their address, too, because anybody can take any name.
 */
export function auditLine({
  n,
  entry,
}: Pick<AuditLink, 'n'> & { readonly entry: AuditEntry | undefined }): string {
  try {
    if (!entry) return `${n}  ${UNREADABLE}`;
    const at = utcSecond(entry.atMs);
    const run = 'run' in entry ? [oneLine(entry.run)] : [];
    return [n, at, ...run, oneLine(whatHappened(entry))].join('  ');
  } catch {
    // Somebody may have made something else of it.
    return `${n}  ${UNREADABLE}`;
  }
}

/** What an entry says, as one line of plain text whatever is in it. */
export function auditWords(entry: AuditEntry | undefined): string {
  try {
    return entry ? oneLine(whatHappened(entry)) : UNREADABLE;
  } catch {
    // Somebody may have made something else of it.
    return UNREADABLE;
  }
}

function whatHappened(entry: AuditEntry): string {
  switch (entry.type) {
    case 'run.started': {
      const { flow, version, trigger, by, place, schedule, retryOf, requesters } = entry;
      const how = retryOf === undefined ? trigger : `retry of ${retryOf}`;
      const after = requesters ? `, as ${requesters.map((one) => who(one)).join(', ')} had` : '';
      return `${by ? `${who(by)} started` : 'started'} ${flow} (${how}${schedule === undefined ? '' : ` ${schedule}`}${after}, version ${version.slice(0, 16)})${where(place)}`;
    }
    case 'run.refused':
      return `${who(entry.by)} was not allowed to start ${entry.flow}${where(entry.place)}: ${quoted(entry.why)}`;
    case 'run.cancelled':
      return `${who(entry.by)} cancelled it`;
    case 'run.ended':
      return `ended: ${entry.status}${entry.reason === undefined ? '' : `, ${quoted(entry.reason)}`}`;
    case 'question.asked': {
      const { question, kind, step, title, covers, approvers, quorum, deadlineMs } = entry;
      const whom = approvers ? `asked of ${approvers.join(', ')}` : 'asked of the conversation';
      const until = deadlineMs === undefined ? '' : `, until ${new Date(deadlineMs).toISOString()}`;
      return `question ${question} (${kind} of ${step}) ${quoted(title)} ${whom}${howMany(quorum)}${until}; it covers ${covers.slice(0, 16)}`;
    }
    case 'question.escalated':
      return `question ${entry.question} came to ${entry.to.join(', ')} too`;
    case 'question.shown': {
      const { question, revision, message, url } = entry;
      const link = url === undefined ? '' : ` (${url})`;
      return `question ${question} is shown as revision ${revision} by message ${message.id}${where(message)}${link}`;
    }
    case 'question.answered': {
      const { question, by, also, action, feedback, as, values, files, decided } = entry;
      const rights = as ? ` as ${as.join(', ')}` : '';
      const said = feedback === '' ? '' : `: ${quoted(feedback)}`;
      const filled = values ? `, filled in ${quoted(JSON.stringify(values))}` : '';
      const attached = files?.length ? `, attached ${files.map(({ name }) => quoted(name)).join(', ')}` : '';
      return `${who(by, also)} answered “${action}”${rights} to question ${question}${said}${filled}${attached}; ${decided ? 'that decided it' : 'more answers are needed'}`;
    }
    case 'question.refused': {
      const { question, by, place, action, why } = entry;
      return `${who(by)} could not answer ${quoted(action)} to question ${question}${where(place)}: ${quoted(why)}`;
    }
    case 'question.closed':
      return `question ${entry.question} was closed: ${entry.how}${entry.why === undefined ? '' : `, ${quoted(entry.why)}`}`;
    case 'flow.changed':
      return entry.version === undefined
        ? `flow ${entry.flow} is gone`
        : `flow ${entry.flow} is in force as version ${entry.version.slice(0, 16)}`;
    case 'switched': {
      const { by, place, what, on, why } = entry;
      return `${who(by)} switched ${switchedWords(what)} ${on ? 'on' : 'off'}${where(place)}${why === undefined ? '' : `: ${quoted(why)}`}`;
    }
    default:
      return unknown(entry);
  }
}

function howMany(quorum: Quorum): string {
  if (quorum === 'each') return ', one of each';
  return quorum > 1 ? `, ${quorum} of them` : '';
}

/** A newer Flowbot may have written it. */
function unknown(entry: never): string {
  return quoted(JSON.stringify(entry));
}

function switchedWords(what: Switchable): string {
  switch (what.kind) {
    case 'flow':
      return `flow ${what.flow}`;
    case 'schedule':
      return `schedule ${what.schedule}`;
    case 'everything':
      return 'everything';
  }
}

/** @param also further addresses of theirs */
function who(person: Person, also: readonly string[] = []): string {
  return `${quoted(person.name)} (${[personAddress(person), ...also].join(', ')})`;
}

function where(place: Place | undefined): string {
  if (!place) return '';
  const thread = place.thread === undefined ? '' : `, thread ${place.thread}`;
  return ` in ${place.platform}:${place.conversation}${thread}`;
}

function quoted(text: string): string {
  return `“${beginningOf(text, QUOTED_MAX_CHARS)}”`;
}

/** What people wrote can neither look like the next entry nor turn the direction of the line. */
function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
}
