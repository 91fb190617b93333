import { h, iconButton } from './dom.js';

/**
 * A message box. `send(text)` resolves when it was taken; `complete(typed)` gives how what was typed after the
 * command can go on: `typed`, all that is typed then, and `shown`, what people choose it by.
 */
export function createComposer({ id, testId, command, placeholder, send, complete }) {
  let options = [];
  let active = -1;
  let asked = 0;

  const list = h('ul', {
    className: 'completions',
    id: `${id}-list`,
    role: 'listbox',
    hidden: true,
    'aria-label': 'Completions',
    'data-testid': `${testId}-completions`,
  });
  const area = h('textarea', {
    id,
    rows: 1,
    placeholder,
    maxLength: 4000,
    'aria-label': placeholder,
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': `${id}-list`,
    'data-testid': testId,
    oninput: () => {
      resize();
      suggest();
    },
    onkeydown: press,
    onblur: () => offer([]),
  });
  const element = h(
    'form',
    {
      className: 'box',
      onsubmit: (event) => {
        event.preventDefault();
        submit();
      },
    },
    list,
    area,
    iconButton('send', 'Send', undefined, `${testId}-send`),
  );
  element.lastElementChild.type = 'submit';

  function resize() {
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, 200)}px`;
  }

  async function submit() {
    const text = area.value;
    if (text.trim() === '') return;
    area.value = '';
    resize();
    offer([]);
    if (!(await send(text)) && area.value === '') {
      area.value = text;
      resize();
    }
  }

  async function suggest() {
    asked += 1;
    const turn = asked;
    const typed = area.value;
    if (!typed.startsWith('/') || typed.includes('\n')) return offer([]);
    if (command.startsWith(typed)) return offer([{ text: command, note: '' }]);
    if (!typed.startsWith(`${command} `)) return offer([]);
    const found = await complete(typed.slice(command.length + 1)).catch(() => []);
    if (turn !== asked) return;
    const offered = found.map((each) => ({ text: `${command} ${each.typed}`, note: noteOf(each) }));
    offer(offered.filter(({ text }) => text !== typed));
  }

  function offer(next) {
    // Who has chosen one keeps it when a slower answer brings a new list.
    active = next.findIndex(({ text }) => text === options[active]?.text);
    options = next;
    list.replaceChildren(
      ...options.map(({ text, note }, index) =>
        h(
          'li',
          {
            id: `${id}-option-${index}`,
            role: 'option',
            'aria-selected': 'false',
            'data-testid': 'completion',
            onpointerdown: (event) => {
              event.preventDefault();
              accept(index);
            },
          },
          text,
          note && [' ', h('span', { className: 'completion-note' }, note)],
        ),
      ),
    );
    list.hidden = options.length === 0;
    area.setAttribute('aria-expanded', String(options.length > 0));
    mark();
  }

  function mark() {
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(index === active));
      if (index === active) option.scrollIntoView({ block: 'nearest' });
    }
    if (active >= 0) area.setAttribute('aria-activedescendant', `${id}-option-${active}`);
    else area.removeAttribute('aria-activedescendant');
  }

  function accept(index) {
    const { text } = options[index];
    // What ends with an equals sign waits for its value.
    area.value = text.endsWith('=') ? text : `${text} `;
    offer([]);
    resize();
    area.focus();
    suggest();
  }

  function press(event) {
    if (event.isComposing) return;
    const open = options.length > 0;
    if (open && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      active = (active + step + options.length + (active < 0 && step < 0 ? 1 : 0)) % options.length;
      mark();
    } else if (open && event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault();
      accept(Math.max(active, 0));
    } else if (open && event.key === 'Escape') {
      event.stopPropagation();
      offer([]);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (active >= 0) accept(active);
      else submit();
    }
  }

  return { element, focus: () => area.focus() };
}

/** What a completion is, without the word that it is typed by. */
function noteOf({ typed, shown }) {
  const word = typed.slice(typed.lastIndexOf(' ') + 1);
  return shown.startsWith(word) ? shown.slice(word.length).replace(/^[:·\s]+/, '') : shown;
}
