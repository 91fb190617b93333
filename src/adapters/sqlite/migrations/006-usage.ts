/** What runs have used up, by day, and the conversations of agents that are parked (`conversation` is JSON). */
export const usage = `
create table spent (
  day text not null, -- 2026-11-30, of UTC
  flow text not null,
  root text not null, -- the flow at the top
  tokens real not null,
  tool_calls real not null,
  turns real not null,
  cost_usd real not null,
  unpriced real not null,
  worked_ms real not null,
  primary key (day, flow, root)
) strict, without rowid;

create table conversations (
  n integer primary key,
  run integer not null references runs,
  key text not null,
  conversation text not null,
  unique (run, key)
) strict;
`;
