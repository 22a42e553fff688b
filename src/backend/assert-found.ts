/** Returns a value that a constraint or an earlier check guarantees. @throws when it is missing, which is a bug */
export function assertFound<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a value that another one refers to is missing')
  return value
}
