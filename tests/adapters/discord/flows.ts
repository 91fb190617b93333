/** A flow that posts what follows its command. */
export const note = `
name: Note
triggers: [{ type: command, command: note }, { type: manual }]
steps:
  done: { type: message, to: "#releases", text: "Noted: {{start.json.prompt}}" }
`;

/** A flow with an input of every kind. */
export const order = `
name: Order
triggers: [{ type: command, command: order, slash: true }, { type: manual }]
input:
  type: object
  required: [name, color, code]
  properties:
    name: { type: string, title: What }
    notes: { type: string, title: Notes, maxLength: 1000 }
    price: { type: number, minimum: 1 }
    count: { type: integer, default: 3 }
    urgent: { type: boolean, default: false }
    color: { type: string, enum: [red, light blue] }
    tags: { type: array, items: { type: string, enum: [a, b, c] } }
    day: { type: string, format: date }
    at: { type: string, format: time }
    due: { type: string, format: date-time }
    owner: { type: string, format: discord-user }
    where: { type: string, format: discord-channel }
    code: { type: string, pattern: "^[A-Z]{3}$" }
steps:
  done: { type: message, to: "#releases", text: "Ordered: {{start.json.prompt}} {{input}}" }
`;

/** A flow with an input of one text. */
export const short = `
name: Order
triggers: [{ type: command, command: order, slash: true }, { type: manual }]
input: { type: object, required: [name], properties: { name: { type: string } } }
steps:
  done: { type: message, to: "#releases", text: "Ordered {{input.name}}" }
`;
