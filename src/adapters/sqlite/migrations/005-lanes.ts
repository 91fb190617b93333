/**
 * Lanes: runs that steps of other runs started. A map has hundreds of them, so each index of lists is of runs at the top
 * alone or of lanes alone: no list passes the others. And outputs kept to be used again.
 */
export const lanes = `
alter table runs add column root text;   -- id of the run at the top; null = it is one itself
alter table runs add column parent text; -- id of the run whose step started it

drop index runs_flow;
drop index runs_status;
drop index runs_starter;
drop index runs_home;
create index runs_flow on runs (flow) where root is null;
create index runs_status on runs (status) where root is null;
create index runs_starter on runs (starter) where starter is not null and root is null;
create index runs_home on runs (home) where home is not null and root is null;
create index lanes_root on runs (root) where root is not null;
create index lanes_parent on runs (parent) where root is not null;
create index lanes_status on runs (status) where root is not null;

create table cached_outputs (
  n integer primary key,
  key text not null unique,
  used_at real not null,
  output text not null
) strict;
create index cached_outputs_used on cached_outputs (used_at);
`;
