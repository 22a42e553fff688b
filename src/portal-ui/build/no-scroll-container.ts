/**
 * Stands for a part of the library's `Table` that no page uses. It brings along a
 * drawn scroll bar and what places menus: 18 KB (gzip) on every page with a table.
 */
export const TableScrollContainer = undefined
