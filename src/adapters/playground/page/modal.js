import { h, iconButton } from './dom.js';

/**
 * Opens a form over the page. `submit(values)` resolves to errors by field, or undefined when it was taken. Empty
 * fields are left out; lists are JSON text, yes and no are `true` and `false`.
 */
export function openModal(dialog, form, submit) {
  const fields = form.fields.map(makeField);
  const button = h(
    'button',
    { type: 'submit', className: 'button primary', 'data-testid': 'modal-submit' },
    form.submitLabel,
  );
  const close = () => dialog.close();

  async function send(event) {
    event.preventDefault();
    const values = fields.flatMap(({ id, read }) => (read() === '' ? [] : [[id, read()]]));
    button.disabled = true;
    try {
      const errors = await submit(Object.fromEntries(values));
      if (!errors) return close();
      for (const field of fields) field.fail(Object.hasOwn(errors, field.id) ? errors[field.id] : '');
      dialog.querySelector('[aria-invalid=true]')?.focus();
    } finally {
      button.disabled = false;
    }
  }

  dialog.replaceChildren(
    h(
      'form',
      { onsubmit: send, 'data-testid': 'modal-form' },
      h(
        'header',
        {},
        h('h2', { id: 'modal-title', 'data-testid': 'modal-title' }, form.title),
        iconButton('close', 'Close', close, 'modal-close'),
      ),
      h(
        'div',
        { className: 'fields' },
        fields.map(({ element }) => element),
      ),
      h(
        'footer',
        {},
        h(
          'button',
          { type: 'button', className: 'button', onclick: close, 'data-testid': 'modal-cancel' },
          'Cancel',
        ),
        button,
      ),
    ),
  );
  dialog.showModal();
  dialog.querySelector('.fields input, .fields textarea, .fields select')?.focus();
}

function makeField(field, index) {
  const id = `field-${index}`;
  const error = h('p', { className: 'error', id: `${id}-error`, 'data-testid': `error-${field.id}` });
  const hint = field.hint && h('p', { className: 'hint', id: `${id}-hint` }, field.hint);
  const described = [field.hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(' ');
  const common = { id, 'data-testid': `field-${field.id}`, 'aria-describedby': described };
  const mark = !field.required && field.type !== 'boolean' && h('small', {}, ' (optional)');
  const { control, read, group } = makeControl(field, common);
  const fail = (sentence) => {
    error.textContent = sentence;
    control.setAttribute('aria-invalid', String(sentence !== ''));
  };
  const element =
    field.type === 'boolean'
      ? h(
          'div',
          { className: 'field' },
          h('label', { className: 'check' }, control, field.label),
          hint,
          error,
        )
      : group
        ? h('fieldset', { className: 'field' }, h('legend', {}, field.label, mark), control, hint, error)
        : h('div', { className: 'field' }, h('label', { for: id }, field.label, mark), control, hint, error);
  return { id: field.id, element, read, fail };
}

function makeControl(field, common) {
  const { required, initial = '' } = field;
  const maxLength = Math.min(field.maxLength ?? 4000, 4000);
  const plain = (control) => ({ control, read: () => control.value });
  switch (field.type) {
    case 'text':
      return plain(h('input', { ...common, type: 'text', required, maxLength, value: initial }));
    case 'multiline':
      return plain(h('textarea', { ...common, required, maxLength, rows: 4, value: initial }));
    case 'number':
    case 'integer': {
      const step = field.type === 'integer' ? '1' : 'any';
      return plain(h('input', { ...common, type: 'number', step, required, value: initial }));
    }
    case 'boolean': {
      const control = h('input', { ...common, type: 'checkbox', checked: initial === 'true' });
      return { control, read: () => String(control.checked) };
    }
    case 'select': {
      const options = ['', ...(field.options ?? [])].map((value) =>
        h('option', { value, selected: value === initial }, value || 'Choose…'),
      );
      return plain(h('select', { ...common, required }, options));
    }
    default: {
      const chosen = chosenFirst(initial);
      const boxes = (field.options ?? []).map((value) =>
        h('input', { type: 'checkbox', value, checked: chosen.includes(value) }),
      );
      const read = () => {
        const values = boxes.filter(({ checked }) => checked).map(({ value }) => value);
        return values.length === 0 ? '' : JSON.stringify(values);
      };
      const check = () => {
        boxes[0]?.setCustomValidity(required && read() === '' ? 'Choose at least one.' : '');
      };
      for (const box of boxes) box.addEventListener('change', check);
      check();
      const labels = boxes.map((box) => h('label', { className: 'check' }, box, box.value));
      return {
        control: h('div', { ...common, className: 'checks', tabIndex: -1 }, labels),
        read,
        group: true,
      };
    }
  }
}

function chosenFirst(initial) {
  try {
    const list = JSON.parse(initial);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
