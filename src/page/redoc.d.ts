/** The part of Redoc that `docs.ts` uses. Its own types need those of React and MobX. */
declare module 'redoc/bundles/redoc.standalone.js' {
  export function init(document_url: string, options: object, element: HTMLElement): void
}
