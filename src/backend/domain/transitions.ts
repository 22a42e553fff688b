/** A life cycle: for every state the events it accepts and the state each leads to. A state without events is final. */
export type Transitions<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>

/** The events of a life cycle, from its table. */
export type EventOf<Table> = { [State in keyof Table]: keyof Table[State] }[keyof Table]

/** The state an event leads to, or undefined where the state does not accept it. */
export function after<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
  state: State,
  event: NoInfer<Event>,
): State | undefined {
  return transitions[state][event]
}

/** Whether nothing can happen any more. */
export function isFinal<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
  state: State,
): boolean {
  return Object.keys(transitions[state]).length === 0
}

/** The states that something can still happen in, in the order of the table. */
export function openStates<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
): State[] {
  // Object.keys forgets the type of a record's keys; a table has no others than its states.
  const states = Object.keys(transitions) as State[]
  return states.filter((state) => !isFinal(transitions, state))
}
