declare module 'virtual:scalar-script' {
  /** Address of the script that draws the API reference. */
  export const scalarScriptUrl: string
}
