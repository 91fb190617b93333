import type { FlowEvent, FlowEventName, FlowEvents } from '../engine/events/map.ts';
import type { Log } from '../ports/log.ts';

/** What listens: it is not waited for, also when it takes its time. */
type Listener<E> = (event: E) => void | Promise<void>;

/** Tells listeners of this process what happens in runs. What was told before somebody listened is in the journals. */
export interface Bus {
  /** Listens for events of one name. @returns what ends it */
  on<N extends FlowEventName>(name: N, listener: Listener<FlowEvents[N]>): () => void;
  /** Listens for all of them. @returns what ends it */
  onAny(listener: Listener<FlowEvent>): () => void;
  /** Whether anybody listens: events are worked out only then. */
  readonly isHeard: boolean;
  tell(events: readonly FlowEvent[]): void;
}

/** Makes it. A listener that throws or rejects is logged, and keeps neither the run nor other listeners from going on. */
export function createBus(log: Log): Bus {
  const listeners = new Set<Listener<FlowEvent>>();

  function onAny(listener: Listener<FlowEvent>): () => void {
    // Each time another function, so that two of the same end apart.
    const own: Listener<FlowEvent> = (event) => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  async function tellOne(listener: Listener<FlowEvent>, event: FlowEvent): Promise<void> {
    try {
      // Called at once: an async function runs up to its first wait.
      await listener(event);
    } catch (error) {
      log.error('A listener of events failed.', error, { event: event.name, run: event.run });
    }
  }

  return {
    onAny,
    on: (name, listener) =>
      onAny((event) => {
        if (isNamed(event, name)) return listener(event);
      }),
    get isHeard() {
      return listeners.size > 0;
    },
    tell(events) {
      for (const event of events) {
        for (const listener of listeners) void tellOne(listener, event);
      }
    },
  };
}

function isNamed<N extends FlowEventName>(event: FlowEvent, name: N): event is FlowEvent & FlowEvents[N] {
  return event.name === name;
}
