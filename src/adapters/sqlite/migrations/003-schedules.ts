/** How far schedules are (`schedule` is JSON), and the runs that they started. */
export const schedules = `
create table schedules (id text primary key, schedule text not null) strict, without rowid;

create table scheduled_runs (
  run integer primary key references runs,
  schedule text not null
) strict;
create index scheduled_runs_schedule on scheduled_runs (schedule);
`;
