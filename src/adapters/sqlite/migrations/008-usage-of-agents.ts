/** What was used up is kept by agent, too: `''` = none. What there was stays, as of none. */
export const usageOfAgents = `
alter table spent rename to spent_before;
create table spent (
  day text not null, -- 2026-11-30, of UTC
  flow text not null,
  root text not null, -- the flow at the top
  agent text not null,
  tokens real not null,
  tool_calls real not null,
  turns real not null,
  cost_usd real not null,
  unpriced real not null,
  worked_ms real not null,
  primary key (day, flow, root, agent)
) strict, without rowid;
insert into spent
  select day, flow, root, '', tokens, tool_calls, turns, cost_usd, unpriced, worked_ms from spent_before;
drop table spent_before;
`;
