import { createRequire } from 'node:module'

/** What a command of Redis returns to a script, and a script to its caller. Null is a missing value. */
export type RedisReply = string | number | null | RedisError | readonly RedisReply[]

/** An error reply. */
export interface RedisError {
  readonly err: string
}

/** Runs scripts as Redis does: by Lua 5.1, with KEYS, ARGV and `redis`. */
export interface Lua {
  /**
   * @param call runs a command of the script
   * @throws when the script itself is faulty; an error of a command is a reply
   */
  run(
    script: { readonly text: string; readonly sha1: string },
    keys: readonly string[],
    args: readonly string[],
    call: (words: readonly string[]) => RedisReply,
  ): RedisReply
}

export function isRedisError(reply: RedisReply): reply is RedisError {
  return typeof reply === 'object' && reply !== null && 'err' in reply
}

/** The C interface of Lua 5.1 as compiled to WebAssembly, as far as it is used here. Addresses are numbers. */
interface LuaModule {
  readonly HEAPU8: Uint8Array<ArrayBuffer>
  readonly HEAP32: Int32Array
  addFunction(body: (state: number) => number, signature: string): number
  _malloc(bytes: number): number
  _luaL_newstate(): number
  _luaL_openlibs(state: number): void
  _luaL_loadbuffer(state: number, text: number, length: number, name: number): number
  _luaL_ref(state: number, table: number): number
  _lua_pcall(state: number, args: number, results: number, handler: number): number
  _lua_gettop(state: number): number
  _lua_settop(state: number, top: number): void
  _lua_type(state: number, index: number): number
  _lua_tonumber(state: number, index: number): number
  _lua_tolstring(state: number, index: number, length: number): number
  _lua_objlen(state: number, index: number): number
  _lua_pushnil(state: number): void
  _lua_pushnumber(state: number, value: number): void
  _lua_pushboolean(state: number, value: number): void
  _lua_pushlstring(state: number, text: number, length: number): void
  _lua_pushcclosure(state: number, body: number, values: number): void
  _lua_createtable(state: number, items: number, fields: number): void
  _lua_rawgeti(state: number, index: number, at: number): void
  _lua_rawseti(state: number, index: number, at: number): void
  _lua_getfield(state: number, index: number, name: number): void
  _lua_setfield(state: number, index: number, name: number): void
}

const registry = -10_000
const globals = -10_002
const types = { boolean: 1, number: 3, string: 4, table: 5 } as const

/** `redis` as scripts see it. A failed `redis.call` ends the script with the error as its reply. */
const prelude = `local host = host
redis = {
  pcall = host,
  call = function(...)
    local reply = host(...)
    if type(reply) == 'table' and reply.err then error(reply) end
    return reply
  end,
  error_reply = function(message) return { err = message } end,
}`

/** Bytes for one script or one word. */
const scratchBytes = 1 << 16

/** Starts Lua 5.1. Its own time and randomness are not used: the scripts have none but TIME. */
export async function startLua(): Promise<Lua> {
  // The package's types refer to files that it does not contain.
  const { LuaApi }: { LuaApi: { initialize(): Promise<{ module: LuaModule }> } } = createRequire(
    import.meta.url,
  )('wasmoon-lua5.1')
  const { module: lua } = await LuaApi.initialize()
  let view = Buffer.from(lua.HEAPU8.buffer)
  const state = lua._luaL_newstate()
  lua._luaL_openlibs(state)
  const scratch = lua._malloc(scratchBytes)
  const length = lua._malloc(4)
  const names = { KEYS: constant('KEYS'), ARGV: constant('ARGV'), err: constant('err') }
  /** Compiled scripts by their digest. */
  const compiled = new Map<string, number>()
  let host: (words: readonly string[]) => RedisReply = () => null
  let fault: unknown

  const body = lua.addFunction(() => {
    const words: string[] = []
    const count = lua._lua_gettop(state)
    for (let index = 1; index <= count; index += 1) words.push(wordAt(index))
    try {
      push(host(words))
    } catch (error) {
      // Not through Lua, which would take it for an error of the script.
      fault ??= error
      push({ err: 'ERR the simulation failed' })
    }
    return 1
  }, 'ii')
  lua._lua_pushcclosure(state, body, 0)
  lua._lua_setfield(state, globals, constant('host'))
  load(prelude)
  if (lua._lua_pcall(state, 0, 0, 0) !== 0) throw new Error(text(-1))

  /** A name that stays in Lua's memory. */
  function constant(name: string): number {
    const at = lua._malloc(name.length + 1)
    write(`${name}\0`, at)
    return at
  }

  /** Lua's memory, which moves when it grows. */
  function memory(): Buffer {
    if (view.buffer !== lua.HEAPU8.buffer) view = Buffer.from(lua.HEAPU8.buffer)
    return view
  }

  function write(value: string, at: number): void {
    if (value.length > scratchBytes) throw new Error('a word is too long for the simulation')
    memory().write(value, at, 'latin1')
  }

  function text(index: number): string {
    const at = lua._lua_tolstring(state, index, length)
    return memory().toString('latin1', at, at + (lua.HEAP32[length >> 2] ?? 0))
  }

  function wordAt(index: number): string {
    return lua._lua_type(state, index) === types.number
      ? String(lua._lua_tonumber(state, index))
      : text(index)
  }

  function push(value: RedisReply): void {
    if (value === null) lua._lua_pushboolean(state, 0)
    else if (typeof value === 'number') lua._lua_pushnumber(state, value)
    else if (typeof value === 'string') {
      write(value, scratch)
      lua._lua_pushlstring(state, scratch, value.length)
    } else if (isRedisError(value)) {
      lua._lua_createtable(state, 0, 1)
      push(value.err)
      lua._lua_setfield(state, -2, names.err)
    } else {
      lua._lua_createtable(state, value.length, 0)
      for (const [index, item] of value.entries()) {
        push(item)
        lua._lua_rawseti(state, -2, index + 1)
      }
    }
  }

  function setList(name: number, words: readonly string[]): void {
    push(words)
    lua._lua_setfield(state, globals, name)
  }

  /** Puts the compiled text onto the stack. */
  function load(source: string): void {
    write(source, scratch)
    if (lua._luaL_loadbuffer(state, scratch, source.length, names.KEYS) !== 0) {
      throw new Error(`a script does not compile: ${text(-1)}`)
    }
  }

  /** The value on top of the stack, as Redis converts it. */
  function reply(): RedisReply {
    switch (lua._lua_type(state, -1)) {
      case types.string:
        return text(-1)
      case types.number:
        return Math.trunc(lua._lua_tonumber(state, -1))
      case types.table: {
        const error = errorField()
        return error === undefined ? list() : { err: error }
      }
      default:
        return null
    }
  }

  function errorField(): string | undefined {
    lua._lua_getfield(state, -1, names.err)
    const error = lua._lua_type(state, -1) === types.string ? text(-1) : undefined
    lua._lua_settop(state, -2)
    return error
  }

  function list(): RedisReply[] {
    const items: RedisReply[] = []
    for (let index = 1; index <= lua._lua_objlen(state, -1); index += 1) {
      lua._lua_rawgeti(state, -1, index)
      items.push(reply())
      lua._lua_settop(state, -2)
    }
    return items
  }

  return {
    run(script, keys, args, call) {
      let compiledAt = compiled.get(script.sha1)
      if (compiledAt === undefined) {
        load(script.text)
        compiledAt = lua._luaL_ref(state, registry)
        compiled.set(script.sha1, compiledAt)
      }
      setList(names.KEYS, keys)
      setList(names.ARGV, args)
      host = call
      fault = undefined
      lua._lua_rawgeti(state, registry, compiledAt)
      const status = lua._lua_pcall(state, 0, 1, 0)
      const result = status === 0 || lua._lua_type(state, -1) === types.table ? reply() : text(-1)
      lua._lua_settop(state, 0)
      if (fault !== undefined) throw fault
      if (status !== 0 && !isRedisError(result)) throw new Error(`a script failed: ${result}`)
      return result
    },
  }
}
