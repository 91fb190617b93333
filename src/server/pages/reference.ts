import { type Content, type Html, html } from './html.ts';
import { type Page, page, show } from './page.ts';
import { section, table } from './parts.ts';
import { type Described, documentOf, type ReferencedOperation } from './reference-document.ts';

const referencePage = page({
  method: 'GET',
  path: '/api',
  access: 'viewer',
  async run({ visitor }) {
    const { operations, schemas } = documentOf();
    return show({
      title: 'API',
      main: html`<h1>HTTP API</h1>
<p>Everything that the pages do, programs can do as well. The same as a document for machines: <a href="/v1/openapi.json">OpenAPI 3.1</a>.</p>
<p>${visitor.by === 'host' ? 'From this machine nobody needs a token now; what changes something sends the header ' : 'Each request carries a token of FLOWBOT_TOKENS as '}<code>${visitor.by === 'host' ? 'x-flowbot: 1' : 'authorization: Bearer <token>'}</code>. Errors are problems as RFC 9457 has them.</p>
<nav aria-label="Operations"><ul>${operations.map(({ id, method, path }) => html`<li><a href="#${id}"><code>${method} ${path}</code></a></li>`)}</ul></nav>
${operations.map(operationShown)}
${section('What things look like', html`${schemas.map(({ name, fields }) => html`<h3 id="schema-${name}">${name}</h3>${fieldTable(name, fields)}`)}`)}`,
    });
  },
});

function operationShown(operation: ReferencedOperation): Html {
  const { id, method, path, summary, description, parameters, body, answers } = operation;
  return html`<section id="${id}"><h2><code>${method} ${path}</code></h2>
<p>${summary}.</p>
${description.map((paragraph) => html`<p>${paragraph}</p>`)}
${parameters.length > 0 && html`<h3>Parameters</h3>${fieldTable(`Parameters of ${id}`, parameters)}`}
${body.length > 0 && html`<h3>Body</h3>${fieldTable(`Body of ${id}`, body)}`}
<h3>Answers</h3>
${table(
  `Answers of ${id}`,
  ['Status', 'What', 'Holds'],
  answers.map(({ status, what, type }) => [html`<code>${status}</code>`, what, typeShown(type)]),
  '',
)}
${details(operation)}</section>`;
}

function details({ method, path }: ReferencedOperation): Content {
  const address = `"$FLOWBOT${path}"`;
  const send = method === 'GET' ? '' : ` -X ${method} -H 'content-type: application/json' -d '{}'`;
  return html`<p class="soft">For example: <code>curl -H "authorization: Bearer $TOKEN"${send} ${address}</code></p>`;
}

function fieldTable(caption: string, fields: readonly Described[]): Html {
  return table(
    caption,
    ['Name', 'Type', 'Needed', 'What'],
    fields.map(({ name, type, isRequired, what }) => [
      html`<code>${name}</code>`,
      typeShown(type),
      isRequired ? 'yes' : 'no',
      what,
    ]),
    'It has no fields of its own.',
  );
}

/** Names of schemas in it are links. */
function typeShown(type: string): Content {
  return type
    .split(/(\{\w+\})/)
    .map((part) =>
      /^\{\w+\}$/.test(part) ? html`<a href="#schema-${part.slice(1, -1)}">${part.slice(1, -1)}</a>` : part,
    );
}

export const referencePages: readonly Page[] = [referencePage];
