/**
 * The first tables. Rules for all of them:
 *
 * - Ids, keys and hashes are text; everything else that people or platforms wrote is JSON text, which keeps every
 *   string as it is (NUL and lone surrogates included).
 * - `n` numbers rows in the order they were first stored: short to refer to, and the order of every list.
 * - Times are epoch milliseconds; `real`, because a strict `integer` would refuse a fraction.
 * - Work that is over leaves the partial indexes, so looking for work to do never passes finished work.
 */
export const initial = `
create table runs (
  n integer primary key,
  id text not null unique,
  start_key text unique,
  revision integer not null,
  flow text not null,
  version text not null,
  status text not null,
  started_at real not null,
  updated_at real not null,
  starter text,       -- platform:id
  starter_name text,  -- JSON
  home text,          -- platform:conversation
  home_thread text,
  state text not null -- JSON, without the outputs; last, so that lists can stop reading before it
) strict;
create index runs_flow on runs (flow);
create index runs_status on runs (status);
create index runs_starter on runs (starter) where starter is not null;
create index runs_home on runs (home) where home is not null;

create table outputs (
  run integer not null references runs,
  step text not null,
  output text not null,
  primary key (run, step)
) strict, without rowid;

create table journal (
  n integer primary key, -- in the order of all runs, so that a commit touches the end of the table only
  run integer not null references runs,
  event text not null
) strict;
create index journal_run on journal (run);

create table calls (
  n integer primary key,
  run integer not null references runs,
  key text not null,
  begun integer not null,
  effect text not null,
  unique (run, key)
) strict;

create table timers (
  run integer not null references runs,
  key text not null,
  due real not null,
  primary key (run, key)
) strict, without rowid;
create index timers_due on timers (due);

create table questions (
  n integer primary key,
  id text not null unique,
  run integer not null references runs,
  open integer not null,
  question text not null -- JSON; "{}" once closed
) strict;
create index questions_open on questions (n) where open = 1;

create table posts (
  n integer primary key,
  key text not null unique,
  run text,    -- id of a run, which need not be stored here
  target text not null,
  content text not null,
  revision integer not null,
  shown integer not null,
  failed text -- JSON
) strict;
create index posts_pending on posts (n) where shown < revision and failed is null;

create table post_parts (
  post integer not null references posts,
  position integer not null,
  part text not null,
  primary key (post, position)
) strict, without rowid;

create table deliveries (
  n integer primary key,
  id text not null unique,
  received_at real not null,
  done integer not null,
  event text not null
) strict;
create index deliveries_open on deliveries (n) where done = 0;

create table versions (hash text primary key, definition text not null) strict;

create table switches (flow text primary key, enabled integer not null) strict, without rowid;
`;
