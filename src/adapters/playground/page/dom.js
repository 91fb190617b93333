/** Characters that set the direction of the text after them: a value with one would turn the words around it. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes an element. Properties are set as properties, `data-*`, `aria-*`, `for` and `role` as attributes, `on*` as
 * listeners; text children become text nodes, so nothing that people or models write can become markup, nor
 * turn what stands beside it.
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (/^(data-|aria-|for$|role$)/.test(name)) element.setAttribute(name, String(value));
    else element[name] = value;
  }
  element.append(
    ...children
      .flat()
      .filter((child) => child !== undefined && child !== null && child !== false)
      .map((child) => (typeof child === 'string' ? child.replace(turning, '') : child)),
  );
  return element;
}

const paths = {
  close: 'M5 5l10 10M15 5L5 15',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  reply: 'M4 4h12v9H9l-4 3.5V13H4z',
  edit: 'M4 16l1-4 8.5-8.5 3 3L8 15z',
  trash: 'M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6',
  send: 'M3 10l14-6-5 13-3-5.5z',
  eye: 'M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10zM10 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
};

/** A line icon, hidden from screen readers: give its button a label. */
export function icon(name) {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}

/** A button that shows only an icon. */
export function iconButton(name, label, onclick, testId) {
  return h(
    'button',
    {
      type: 'button',
      className: 'icon-button',
      title: label,
      'aria-label': label,
      'data-testid': testId,
      onclick,
    },
    icon(name),
  );
}

/** The picture of a member: a coloured initial, or our icon for the bot. */
export function avatar(author) {
  if (author.id === 'flowbot') return h('img', { className: 'avatar', src: 'icon.svg', alt: '' });
  const element = h(
    'span',
    { className: 'avatar', 'aria-hidden': 'true' },
    author.name.slice(0, 1).toUpperCase(),
  );
  let hue = 0;
  for (const character of author.id) hue = (hue * 31 + character.codePointAt(0)) % 360;
  element.style.setProperty('--hue', String(hue));
  return element;
}

/**
 * Makes the children of `list` those of `items`, in order. An element is made anew only when its item reads
 * differently, so focus, selection and screen readers are not disturbed by what did not change.
 */
export function reconcile(list, items, make) {
  const before = new Map([...list.children].map((element) => [element.dataset.key, element]));
  let next = list.firstElementChild;
  for (const item of items) {
    const reads = JSON.stringify(item);
    let element = before.get(item.key);
    before.delete(item.key);
    if (element?.reads !== reads) {
      const fresh = make(item);
      fresh.dataset.key = item.key;
      fresh.reads = reads;
      if (element) {
        if (element === next) next = fresh;
        element.replaceWith(fresh);
      }
      element = fresh;
    }
    if (element === next) next = next.nextElementSibling;
    else list.insertBefore(element, next);
  }
  for (const element of before.values()) element.remove();
}
