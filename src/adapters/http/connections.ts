import { isIPv6, type LookupFunction } from 'node:net';
import { Client, type Dispatcher, Pool } from 'undici';

/** A way to one origin, at addresses that were checked. */
interface Connection {
  readonly dispatcher: Dispatcher;
  /** Call when the answer was read or given up. */
  release(): void;
}

/** All connections of a client. */
export interface Connections {
  /**
   * A connection that goes to these addresses only, whatever the name means by then. `reuse` = an idle one will do;
   * otherwise it is new and used once, so that an unsafe request never meets a connection the server has just left.
   */
  open(origin: string, addresses: readonly string[], reuse: boolean): Connection;
  /** Ends them all, requests in progress included. */
  close(): Promise<void>;
}

/** Pools kept for reuse; the one that was used longest ago goes first. */
const MOST_POOLS = 100;

/** Creates an empty set of connections. */
export function createConnections(): Connections {
  const pools = new Map<string, Pool>();
  const clients = new Set<Client>();

  function pooled(origin: string, addresses: readonly string[]): Connection {
    // The addresses are part of the key: a pool opened to a private one by a flow that may must not serve others.
    const key = [origin, ...addresses.toSorted()].join(' ');
    const pool = pools.get(key) ?? new Pool(origin, { ...pinned(addresses), pipelining: 1 });
    pools.delete(key);
    pools.set(key, pool);
    const [oldestKey, oldest] = pools.entries().next().value ?? [];
    if (pools.size > MOST_POOLS && oldestKey !== undefined) {
      pools.delete(oldestKey);
      void oldest?.close();
    }
    return { dispatcher: pool, release() {} };
  }

  function single(origin: string, addresses: readonly string[]): Connection {
    const client = new Client(origin, { ...pinned(addresses), pipelining: 0 });
    clients.add(client);
    return {
      dispatcher: client,
      release() {
        clients.delete(client);
        void client.destroy();
      },
    };
  }

  return {
    open: (origin, addresses, reuse) => (reuse ? pooled(origin, addresses) : single(origin, addresses)),
    async close() {
      const all = [...pools.values(), ...clients];
      pools.clear();
      clients.clear();
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** Connects to the given addresses only; TLS still proves the name. Time is limited elsewhere, over everything. */
function pinned(addresses: readonly string[]) {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first] = found;
    if (options.all || first === undefined) callback(null, found);
    else callback(null, first.address, first.family);
  };
  return { connect: { lookup, timeout: 0 }, allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
}
