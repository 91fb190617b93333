/** What is kept for a while only (`value` is JSON). */
export const passing = `
create table passing (
  key text primary key,
  until real not null,
  value text not null
) strict, without rowid;
create index passing_until on passing (until);
`;
