// A foreign program that writes to the file: keeps an exclusive transaction open until its input ends.
import Database from 'better-sqlite3';

const [, , file = ''] = process.argv;
const db = new Database(file);
db.exec('begin exclusive');
console.log('locked');
process.stdin.on('end', () => db.exec('rollback')).resume();
