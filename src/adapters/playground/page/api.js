/** Asks for something as `as`; throws the server's sentence when it refuses. */
export async function get(as, path, query = {}) {
  return answer(fetch(`api/${path}?${new URLSearchParams({ as, ...query })}`));
}

/** Does something as `as`; the answer says what the page has to show at once. */
export async function send(as, path, body) {
  return answer(
    fetch(`api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ as, ...body }),
    }),
  );
}

/** Brings a file to the server; resolves to its id there. */
export async function upload(as, file) {
  const query = new URLSearchParams({ as, name: file.name, type: file.type });
  const headers = { 'content-type': 'application/octet-stream' };
  const { id } = await answer(fetch(`api/upload?${query}`, { method: 'POST', headers, body: file }));
  return id;
}

async function answer(asked) {
  const response = await asked.catch(() => {
    throw new Error('Flowbot does not answer. Is it running?');
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error);
  return body;
}

/** Listens to what changes for `as` after `version`, over lost connections and restarts, and misses nothing. */
export function listen(as, version, on) {
  let seen = version;
  let stream;
  let reopening;

  function open() {
    stream = new EventSource(`events?${new URLSearchParams({ as, after: seen })}`);
    stream.addEventListener('message', take(on.message));
    stream.addEventListener('private', take(on.private));
    stream.addEventListener('open', () => on.connected(true));
    stream.addEventListener('error', () => {
      on.connected(false);
      // The browser reconnects by itself, except after an answer that was not a stream (a server that is closing).
      if (stream.readyState === EventSource.CLOSED) reopening = setTimeout(open, 1000);
    });
  }
  const take = (show) => (event) => {
    seen = event.lastEventId;
    show(JSON.parse(event.data));
  };

  open();
  return () => {
    clearTimeout(reopening);
    stream.close();
  };
}
