import { describe, expect, test } from 'vitest';
import { client, request, send, serve } from './loopback.ts';

const never = new AbortController().signal;

describe('addresses that are not public are refused', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.8.9.10/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0.0.0.0/',
    'http://0/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://192.0.2.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://192.0.0.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://①②⑦.0.0.1/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://localhost/',
    'http://LOCALHOST:8080/',
    'http://localhost./',
    'http://db.localhost/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[2001:2::1]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[100::1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[fc00::1]/',
    'http://[fd12:3456:789a::1]/',
    'http://[ff02::1]/',
  ])('%s', async (url) => {
    const outcome = await send(url, { allowHosts: [] });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'address', mayHaveArrived: false });
    expect(outcome).toHaveProperty('message', expect.stringContaining(new URL(url).host.replace(/\.$/, '')));
    expect(outcome).toHaveProperty('message', expect.stringContaining('allowHosts'));
  });

  test.each([
    ['a name that means a private address', ['10.1.2.3']],
    ['a name with one public and one private address', ['93.184.215.14', '192.168.0.1']],
    ['a name with one public and one mapped address', ['93.184.215.14', '::ffff:10.0.0.1']],
    ['a name with a link-local address of an interface', ['fe80::1%eth0']],
  ])('%s', async (_, addresses) => {
    const http = client({ resolve: async () => addresses });
    expect(await http.send(request('https://api.example/', { allowHosts: [] }), never)).toEqual({
      kind: 'failed',
      reason: 'address',
      message:
        'api.example leads to an address that is not public, so it is not asked; if that is meant, name api.example in allowHosts.',
      mayHaveArrived: false,
    });
  });
});

describe('forms of addresses that nothing allows', () => {
  test.each([
    ['ftp://127.0.0.1/x', 'address', 'Only http and https'],
    ['file:///etc/passwd', 'address', 'Only http and https'],
    ['data:text/plain,hello', 'address', 'Only http and https'],
    ['http://ana:secret@127.0.0.1/', 'address', 'user name or password'],
    ['http://ana@127.0.0.1/', 'address', 'user name or password'],
    ['http://api..example/', 'address', 'not a host name'],
    ['http://localhost../', 'address', 'not a host name'],
    ['http://./', 'address', 'not a host name'],
    ['http://1.2.3.4.5/', 'request', 'not valid'],
    ['http://256.0.0.1/', 'request', 'not valid'],
    ['http://[::1%25lo]/', 'request', 'not valid'],
    ['http://', 'request', 'not valid'],
    ['/relative', 'request', 'not valid'],
    ['', 'request', 'not valid'],
  ])('%s', async (url, reason, words) => {
    const outcome = await send(url);
    expect(outcome).toMatchObject({ kind: 'failed', reason, mayHaveArrived: false });
    expect(outcome).toHaveProperty('message', expect.stringContaining(words));
    expect(outcome).not.toHaveProperty('message', expect.stringContaining('secret'));
  });
});

describe('allowHosts', () => {
  const resolve = async () => ['127.0.0.1'];

  test.each([
    ['the name', ['intranet.test'], 'intranet.test'],
    ['the name in capitals', ['Intranet.TEST'], 'intranet.test'],
    ['the name with a dot at its end', ['intranet.test'], 'intranet.test.'],
    ['the name and port', ['intranet.test:PORT'], 'intranet.test'],
    ['one of several', ['other.test', 'intranet.test'], 'intranet.test'],
    ['localhost', ['localhost'], 'localhost'],
    ['an IP address', ['127.0.0.1'], '127.0.0.1'],
    ['an IP address and port', ['127.0.0.1:PORT'], '2130706433'],
  ])('lets through by %s', async (_, allowHosts, host) => {
    const server = await serve((_seen, response) => response.end('hello'));
    const { port } = server;
    const outcome = await client({ resolve }).send(
      request(`http://${host}:${port}/`, {
        allowHosts: allowHosts.map((entry) => entry.replace('PORT', `${port}`)),
      }),
      never,
    );
    expect(outcome).toMatchObject({ kind: 'answered', text: 'hello' });
  });

  test.each([
    ['another name', ['other.test'], 'http://intranet.test/'],
    ['a part of the name', ['test'], 'http://intranet.test/'],
    ['another port', ['intranet.test:8080'], 'http://intranet.test/'],
    ['the address the name means', ['127.0.0.1'], 'http://intranet.test/'],
    ['a pattern', ['*'], 'http://intranet.test/'],
    ['an address instead of a host', ['http://intranet.test/'], 'http://intranet.test/'],
    ['another spelling of IPv6', ['[::1]:8080'], 'http://[::1]:9090/'],
  ])('is not fooled by %s', async (_, allowHosts, url) => {
    const outcome = await client({ resolve }).send(request(url, { allowHosts }), never);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'address' });
  });

  test.each([
    [['::1'], 'http://[::1]:1/'],
    [['[::1]'], 'http://[0:0::1]:1/'],
    [['[::1]:1'], 'http://[::1]:1/'],
    [['127.0.0.1:80'], 'http://127.0.0.1/'],
  ])('%j opens %s', async (allowHosts, url) => {
    // Past the guard nothing listens there; that is another failure than being refused.
    expect(await send(url, { allowHosts })).not.toHaveProperty('reason', 'address');
  });
});

describe('a name is looked up once and the connection goes where the check looked', () => {
  test('a resolver that changes its mind is not asked again', async () => {
    const server = await serve((_seen, response) => response.end('the checked one'));
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const asked: string[] = [];
    const http = client({
      resolve: async (host) => {
        asked.push(host);
        return answers.shift() ?? [];
      },
    });
    const url = `http://rebind.test:${server.port}/`;
    expect(await http.send(request(url, { allowHosts: ['rebind.test'] }), never)).toMatchObject({
      text: 'the checked one',
    });
    expect(asked).toEqual(['rebind.test']);
    expect(server.seen[0]?.headers.host).toBe(`rebind.test:${server.port}`);
  });

  test('a kept connection serves only flows that may ask its address, and only while the name means it', async () => {
    const server = await serve((_seen, response) => response.end('inside'));
    const answers = [['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2']];
    const http = client({ resolve: async () => answers.shift() ?? [] });
    const url = `http://rebind.test:${server.port}/`;
    await http.send(request(url, { allowHosts: ['rebind.test'] }), never);
    expect(await http.send(request(url, { allowHosts: [] }), never)).toMatchObject({ reason: 'address' });
    expect(await http.send(request(url, { allowHosts: ['rebind.test'] }), never)).toMatchObject({
      reason: 'connect',
    });
    expect(server.seen).toHaveLength(1);
  });

  test('the second of two addresses serves when nothing listens at the first', async () => {
    const server = await serve((_seen, response) => response.end('hello'));
    const http = client({ resolve: async () => ['127.0.0.2', '127.0.0.1'] });
    const url = `http://two.test:${server.port}/`;
    expect(await http.send(request(url, { allowHosts: ['two.test'] }), never)).toMatchObject({
      text: 'hello',
    });
  });
});

describe('a name that cannot be found', () => {
  const notFound = Object.assign(new Error('queryA ENOTFOUND nowhere.test'), { code: 'ENOTFOUND' });
  test.each([
    ['unknown', () => Promise.reject(notFound), 'could not be found (ENOTFOUND)'],
    ['without addresses', async () => [], 'has no address'],
    ['with nonsense for an address', async () => ['0x7f.1'], 'has no address'],
  ])('%s', async (_, resolve, words) => {
    const outcome = await client({ resolve }).send(request('http://nowhere.test/'), never);
    expect(outcome).toEqual({
      kind: 'failed',
      reason: 'dns',
      message: expect.stringContaining(`The host name nowhere.test ${words}`),
      mayHaveArrived: false,
    });
  });
});
