import type { Entry } from '../access/door.ts';
import { type Content, type Html, html } from './html.ts';
import { type Page, page, show } from './page.ts';
import { code, section, table } from './parts.ts';
import {
  isGood,
  type ReferencedAnswer,
  type ReferencedOperation,
  referenceOf,
} from './reference-document.ts';
import type { Described, TypeWords } from './reference-schema.ts';

const referencePage = page({
  method: 'GET',
  path: '/api',
  access: 'viewer',
  async run({ visitor }) {
    const { operations, common, schemas } = referenceOf();
    return show({
      title: 'API',
      main: html`<h1>HTTP API</h1>
<p>What the pages do, programs can do as well. The same as a document for machines: <a href="/v1/openapi.json">OpenAPI 3.1</a>.</p>
${section('How to get in', gettingIn(visitor, operations))}
<section><h2>What there is</h2><nav aria-label="Operations"><ul class="columns bare">${operations.map(({ id, method, path, summary }) => html`<li><a href="#${id}"><code>${method} ${path}</code></a> <span class="soft">${summary}</span></li>`)}</ul></nav>
<nav aria-label="Schemas"><p>What things look like: ${schemas.map(({ name }, index) => html`${index > 0 && ', '}${schemaLink(name)}`)}</p></nav></section>
${section('What can go wrong everywhere', answerTable('What can go wrong everywhere', common))}
${operations.map((operation) => operationShown(operation, visitor))}
${section('What things look like', schemas.map(schemaShown))}`,
    });
  },
});

function gettingIn({ by }: Entry, operations: readonly ReferencedOperation[]): Html {
  const streams = operations.filter(({ isStream }) => isStream);
  return html`<p>${
    by === 'host'
      ? html`From this machine nobody needs a token now: a request that changes something sends the header <code>x-flowbot: 1</code>. As soon as FLOWBOT_TOKENS names tokens, each request carries one as <code>authorization: Bearer &lt;token&gt;</code>.`
      : html`Each request carries a token of FLOWBOT_TOKENS as <code>authorization: Bearer &lt;token&gt;</code>. It may do what its role may.`
  } In the examples <code>$FLOWBOT</code> is the address of this server, such as <code>http://127.0.0.1:3000</code>.</p>
<p>What goes wrong is said as RFC 9457 has it, with the status and a sentence that says what to do.${streams.map(({ id, method, path }) => html` What happens comes as it happens from <a href="#${id}"><code>${method} ${path}</code></a>.`)}</p>`;
}

function operationShown(operation: ReferencedOperation, visitor: Entry): Html {
  const { id, method, path, summary, description, parameters, body, answers } = operation;
  const [good, bad] = [answers.filter(isGood), answers.filter((answer) => !isGood(answer))];
  const fields = good.flatMap((answer) => answer.fields);
  return html`<section id="${id}"><h2><code>${method} ${path}</code></h2>
<p>${summary}.</p>
${description.map((paragraph) => html`<p>${withCode(paragraph)}</p>`)}
${code(example(operation, visitor), `Example of ${id}`)}
${parameters.length > 0 && html`<h3>Parameters</h3>${fieldTable(`Parameters of ${id}`, 'Needed', parameters)}`}
${body && html`<h3>Body</h3>${fieldTable(`Body of ${id}`, 'Needed', body.fields)}`}
<h3>Answer</h3>
${answerTable(`Answer of ${id}`, good)}
${fields.length > 0 && fieldTable(`Fields of the answer of ${id}`, 'Always there', fields)}
${bad.length > 0 && html`<h3>What can go wrong</h3>${answerTable(`What can go wrong with ${id}`, bad)}`}</section>`;
}

/** A command that can be pasted into a shell. */
function example(operation: ReferencedOperation, { by }: Entry): string {
  const { method, path, asked, body, isStream } = operation;
  const query = asked.map((name, index) => `${index === 0 ? '?' : '&'}${name}=${variable(name)}`);
  const isChange = method !== 'GET';
  return [
    `curl "$FLOWBOT${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variable(name))}${query.join('')}"`,
    isChange && `-X ${method}`,
    by !== 'host' && '-H "authorization: Bearer $TOKEN"',
    by === 'host' && isChange && '-H "x-flowbot: 1"',
    isStream && '-N -H "accept: text/event-stream"',
    body && `-H "content-type: application/json" -d '${body.example.replaceAll("'", "'\\''")}'`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' \\\n  ');
}

function variable(name: string): string {
  return `$${name.replaceAll(/\W/g, '_').toUpperCase()}`;
}

function schemaShown({ name, what, type, fields }: ReturnType<typeof referenceOf>['schemas'][number]): Html {
  const told = fields.length > 0 ? fieldTable(name, 'Always there', fields) : html`<p>${typeShown(type)}</p>`;
  return html`<h3 id="schema-${name}">${name}</h3>${what !== '' && html`<p>${withCode(what)}</p>`}${told}`;
}

function answerTable(caption: string, answers: readonly ReferencedAnswer[]): Html {
  return table(
    caption,
    ['Status', 'What', 'Holds'],
    answers.map(({ status, what, type }) => [
      html`<code>${status}</code>`,
      withCode(what),
      type ? typeShown(type) : 'nothing',
    ]),
    'Nothing.',
  );
}

function fieldTable(caption: string, required: string, fields: readonly Described[]): Html {
  return table(
    caption,
    ['Name', 'Type', required, 'What'],
    fields.map(({ name, type, isRequired, what }) => [
      html`<code>${name}</code>`,
      typeShown(type),
      isRequired ? 'yes' : 'no',
      withCode(what),
    ]),
    'It has no fields of its own.',
  );
}

/** What stands between backticks is code. */
function withCode(text: string): Content {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

function typeShown(type: TypeWords): Content {
  return type.map((part) => (typeof part === 'string' ? part : schemaLink(part.schema)));
}

function schemaLink(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`;
}

export const referencePages: readonly Page[] = [referencePage];
