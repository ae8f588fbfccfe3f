/** The API reference at `/docs`: Redoc shows the OpenAPI document of this service. */
import { init } from 'redoc/bundles/redoc.standalone.js'

const FONTS = {
  fontFamily: 'system-ui, sans-serif',
  headings: { fontFamily: 'system-ui, sans-serif' },
  code: { fontFamily: 'ui-monospace, monospace' },
}

init(
  '/api/v1/openapi.json',
  // The search would need a worker of the scheme `blob:`.
  { disableSearch: true, theme: { typography: FONTS } },
  document.getElementById('reference') as HTMLElement,
)
