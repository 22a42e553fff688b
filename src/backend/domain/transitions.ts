/** A life cycle: the events that each state accepts, with the state they lead to. A state without events is final. */
export type Transitions<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>

/** The events of a life cycle, from its table. */
export type EventOf<Table> = { [State in keyof Table]: keyof Table[State] }[keyof Table]

/** What ends a consent or a mandate that was approved. */
export const ends = {
  terminate: 'terminatedByTpp',
  revoke: 'revokedByPsu',
  expire: 'expired',
} as const

/** The state after an event; undefined if the current state does not accept the event. */
export function after<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
  state: State,
  event: NoInfer<Event>,
): State | undefined {
  return transitions[state][event]
}

/** Whether a state accepts no events. */
export function isFinal<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
  state: State,
): boolean {
  return Object.keys(transitions[state]).length === 0
}

/** The states that accept events, in the order of the table. */
export function openStates<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
): State[] {
  // Object.keys returns strings; the keys of a table are its states.
  const states = Object.keys(transitions) as State[]
  return states.filter((state) => !isFinal(transitions, state))
}
