const responses = {
  200: {
    description: 'The pet.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
  },
  404: {
    description: 'No pet has this id.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Fault' },
        example: { type: 'https://api.example.com/problems/no-pet', code: 'no-pet' },
      },
    },
  },
  default: {
    description: 'Something else.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } },
  },
}

/** An API of its own, as many are described: with tokens and keys of its own, one in a field that no backend gets. */
export const petstore = {
  openapi: '3.0.4',
  info: { title: 'Petstore', version: '1', description: 'About pets.' },
  servers: [{ url: '/api/v3' }],
  'x-tollgate': { backend: 'http://127.0.0.1:9' },
  paths: {
    '/pets/{petId}': {
      parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getPet',
        parameters: [{ name: 'api_key', in: 'header', schema: { type: 'string' } }],
        security: [{ api_key: [] }, { login: ['read:pets'] }],
        responses,
      },
      delete: { operationId: 'deletePet', security: [{ api_key: [] }], responses },
    },
  },
  components: {
    schemas: {
      Pet: {
        required: ['name'],
        properties: {
          name: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      Fault: { type: 'object', properties: { reason: { type: 'string' } } },
    },
    securitySchemes: {
      login: { type: 'oauth2', flows: {} },
      api_key: { type: 'apiKey', in: 'header', name: 'api_key' },
    },
  },
}
