import { h, iconButton } from './dom.js';

/**
 * Opens a form over the page. `submit(values, files)` resolves to errors by field, or undefined when it was taken.
 * Empty fields are left out; lists are JSON text, yes and no are `true` and `false`, files are a list by field.
 */
export function openModal(dialog, form, submit) {
  const fields = form.fields.map(makeField);
  const button = h(
    'button',
    { type: 'submit', className: 'button primary', 'data-testid': 'modal-submit' },
    form.submitLabel,
  );
  const close = () => dialog.close();

  /** What somebody changes is not called wrong any more. */
  function mended({ target }) {
    for (const field of fields) if (field.element.contains(target)) field.fail('');
  }

  async function send(event) {
    event.preventDefault();
    for (const field of fields) field.fail(field.complaint());
    const wrong = dialog.querySelector('[aria-invalid=true]');
    if (wrong) return wrong.focus();
    const values = fields.flatMap(({ id, read }) => (read() === '' ? [] : [[id, read()]]));
    const files = fields.flatMap(({ id, chosen }) => (chosen().length === 0 ? [] : [[id, chosen()]]));
    button.disabled = true;
    try {
      const errors = await submit(Object.fromEntries(values), Object.fromEntries(files));
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
      // What is wrong is said at the fields, whoever finds it.
      { onsubmit: send, oninput: mended, noValidate: true, 'data-testid': 'modal-form' },
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

/** Most files of one field. */
const filesMax = 10;

function makeField(field, index) {
  const id = `field-${index}`;
  const error = h('p', { className: 'error', id: `${id}-error`, 'data-testid': `error-${field.id}` });
  const hint = field.hint && h('p', { className: 'hint', id: `${id}-hint` }, field.hint);
  const described = [field.hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(' ');
  const common = { id, 'data-testid': `field-${field.id}`, 'aria-describedby': described };
  const mark = !field.required && field.type !== 'boolean' && h('small', {}, ' (optional)');
  const made = makeControl(field, common);
  const { control, read, group, chosen = () => [], complaint = () => complaintOf(field, control) } = made;
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
  return { id: field.id, element, read, chosen, fail, complaint };
}

/** What keeps a field from being sent; `''` when nothing does. */
function complaintOf({ min, max, minLength }, { validity, validationMessage }) {
  if (validity.rangeUnderflow) return `Must be at least ${min}.`;
  if (validity.rangeOverflow) return `Must be at most ${max}.`;
  if (validity.tooShort) return `Must have at least ${minLength} characters.`;
  return validationMessage;
}

function makeControl(field, common) {
  const { required, initial = '' } = field;
  const maxLength = Math.min(field.maxLength ?? 4000, 4000);
  const minLength = Math.min(field.minLength ?? 0, maxLength);
  const plain = (control) => ({ control, read: () => control.value });
  switch (field.type) {
    case 'text':
    case 'user':
    case 'channel':
    case 'role':
      return plain(h('input', { ...common, type: 'text', required, minLength, maxLength, value: initial }));
    case 'files': {
      const control = h('input', { ...common, type: 'file', multiple: true, required });
      const tooMany = () => control.files.length > filesMax && `Choose at most ${filesMax} files.`;
      return {
        control,
        read: () => '',
        chosen: () => [...control.files],
        complaint: () => tooMany() || control.validationMessage,
      };
    }
    case 'multiline':
      return plain(h('textarea', { ...common, required, minLength, maxLength, rows: 4, value: initial }));
    case 'number':
    case 'integer': {
      const { min = '', max = '' } = field;
      const step = field.type === 'integer' ? '1' : 'any';
      return plain(h('input', { ...common, type: 'number', step, min, max, required, value: initial }));
    }
    case 'date':
    case 'time':
      return plain(h('input', { ...common, type: field.type, required, value: initial }));
    case 'datetime': {
      const value = localTime(initial);
      const control = h('input', { ...common, type: 'datetime-local', step: '1', required, value });
      return { control, read: () => zonedTime(control.value) };
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
      const labels = boxes.map((box) => h('label', { className: 'check' }, box, box.value));
      return {
        control: h('div', { ...common, className: 'checks', tabIndex: -1 }, labels),
        read,
        complaint: () => (required && read() === '' ? 'Choose at least one.' : ''),
        group: true,
      };
    }
  }
}

/** `2026-11-30T09:30:00Z` on the clock of whoever looks at the page, as the browser's field has it. */
function localTime(zoned) {
  const date = new Date(zoned);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The other way round; `''` stays. */
function zonedTime(local) {
  return local === '' ? '' : new Date(local).toISOString().replace('.000Z', 'Z');
}

function chosenFirst(initial) {
  try {
    const list = JSON.parse(initial);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
