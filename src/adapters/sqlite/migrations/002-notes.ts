/** Small things kept under a key; the value is JSON. */
export const notes = `
create table notes (key text primary key, value text not null) strict, without rowid;
`;
