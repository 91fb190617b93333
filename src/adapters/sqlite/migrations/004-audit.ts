/**
 * The audit, a chain of hashes (see `engine/audit/chain.ts`), with its end in a row of its own; and files kept with runs.
 *
 * The run of an entry is no column, which could be changed without the hash noticing: the index reads it from the text.
 */
export const audit = `
create table audit (
  n integer primary key,
  hash text not null,
  entry text not null -- JSON, exactly as it was hashed
) strict;
create index audit_run on audit (case when json_valid(entry) then entry ->> '$.run' end);

create table audit_head (
  one integer primary key check (one = 1),
  count integer not null,
  hash text not null
) strict;
insert into audit_head values (1, 0, 'flowbot audit 1');

create table files (
  id text primary key,
  run text not null,  -- id of a run, which need not be stored here
  name text not null, -- JSON
  media_type text not null,
  data blob not null
) strict;
`;
