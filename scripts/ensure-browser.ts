// Before the tests: the browser test needs Chromium. Installs Debian's where this user may, else says what to do.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findBrowser } from '../tests/browser/find-browser.ts';

if (findBrowser() === undefined) {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium for the browser test …');
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } else {
    console.log(
      'The browser test will be skipped: no Chromium was found. Install it, or set CHROMIUM to the path of one.',
    );
  }
}
