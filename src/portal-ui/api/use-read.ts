import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { request, requestList } from './client.ts'

type ReadOptions<Value> = Omit<UseQueryOptions<Value>, 'queryKey' | 'queryFn'>

/** Reads a resource of the portal, and keeps it under the key. */
export function useRead<Value>(queryKey: QueryKey, path: string, options: ReadOptions<Value> = {}) {
  return useQuery({ ...options, queryKey, queryFn: () => request<Value>('GET', path) })
}

/** Reads a list of the portal, and keeps it under the key. */
export function useReadList<List extends { readonly items: readonly unknown[] }>(
  queryKey: QueryKey,
  path: string,
  options: ReadOptions<List> = {},
) {
  return useQuery({ ...options, queryKey, queryFn: () => requestList<List>(path) })
}
