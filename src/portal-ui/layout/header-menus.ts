// The menus of the header, which load after the page that a reader asked for: for visitors on a wide screen, never.
export { MainMenu } from './main-menu.tsx'
export { ProfileMenu } from './profile-menu.tsx'
