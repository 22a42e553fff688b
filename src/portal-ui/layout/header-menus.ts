// The menus of the header, which load after the page that a reader asked for.
export { ColorSchemeSwitch } from './color-scheme-switch.tsx'
export { MainMenu } from './main-menu.tsx'
export { ProfileMenu } from './profile-menu.tsx'
