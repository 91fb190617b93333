import type { AttemptRef, RunEvent } from '../engine/run/event.ts';

const ENDED = {
  succeeded: 'succeeded',
  failed: 'failed',
  rejected: 'been rejected',
  cancelled: 'been cancelled',
} as const;

const PARKED = {
  tool: 'asks whether it may call a tool',
  changes: 'asks whether its changes stay',
  budget: 'waits: the budget is used up',
  day: 'waits: the budget of the day is used up',
} as const;

/** What an event of a journal says, for people: a line without a full stop. */
export function whatHappened(event: RunEvent): string {
  switch (event.type) {
    case 'run.started': {
      const { trigger, person, retryOf } = event.start;
      const by = person ? ` by ${person.name}` : '';
      return `${event.queued ? 'queued' : 'started'}${by} (${retryOf ? `retry of ${retryOf.run}` : trigger})`;
    }
    case 'run.admitted':
      return 'its turn has come';
    case 'step.done':
      return `${attempt(event)} is done${event.cached ? ', with a result that was kept' : ''}`;
    case 'step.failed':
      return `${attempt(event)} failed: ${event.failure.message}`;
    case 'step.unknown':
      return `${attempt(event)} has an unknown outcome: ${event.message}`;
    case 'agent.turned': {
      const calls = event.calls.map(({ server, tool, outcome }) => `${tool} of ${server} ${outcome}`);
      return `${attempt(event)} goes on after ${calls.length === 1 ? 'a call' : `${calls.length} calls`}: ${calls.join(', ')}`;
    }
    case 'step.parked':
      return `${attempt(event)} ${PARKED[event.why.kind]}`;
    case 'lane.moved':
      return `${attempt(event)}: run ${event.index + 1} is ${event.status}`;
    case 'lane.ended': {
      const { result } = event;
      const why = result.status === 'succeeded' ? '' : `: ${result.reason}`;
      return `${attempt(event)}: run ${event.index + 1} (${event.run}) has ${ENDED[result.status]}${why}`;
    }
    case 'timer.fired':
      return `timer ${event.timer} fired`;
    case 'question.answered': {
      const comment = event.feedback === '' ? '' : `: ${event.feedback}`;
      return `question ${event.question} answered “${event.action}” by ${event.by.name}${comment}`;
    }
    case 'question.checked':
      return event.missing.length === 0
        ? `those asked by question ${event.question} are there`
        : `question ${event.question} asks ${event.missing.join(', ')}, who can't answer`;
    case 'run.cancelled':
      return `cancelled by ${event.by.name}`;
  }
}

function attempt({ step, round, attempt }: AttemptRef): string {
  const parts = [...(round > 1 ? [`round ${round}`] : []), ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
  return parts.length === 0 ? step : `${step} (${parts.join(', ')})`;
}
